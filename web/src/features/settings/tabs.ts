export const TABS = ['models', 'limits', 'browser', 'appearance', 'data', 'about'] as const
export type Tab = (typeof TABS)[number]
