import type { Grant, GrantLimits } from '@/api/types'
import type { Lang } from '@/lib/prefs'
import { timeFormat } from '@/lib/time'
import type { GrantTranslate } from './grantWords'

/** What narrows a permission, as its fields have it: empty for none. */
export interface LimitFields {
  count: string
  end: string
  act: string
  month: string
}

export const NO_LIMITS: LimitFields = { count: '', end: '', act: '', month: '' }

/** As the API takes it. A day counts to its end, in the time of this browser. */
export function limitsOf({ count, end, act, month }: LimitFields): GrantLimits {
  return {
    ...(count && { count: Number(count) }),
    ...(end && { ends_at: new Date(`${end}T23:59:59`).toISOString() }),
    ...(act && { act_amount: Number(act) }),
    ...(month && { month_amount: Number(month) }),
  }
}

/** `3 of 5 times used · up to 50 EUR per act` */
export function limitWords(grant: Grant, t: GrantTranslate, lang: Lang): string {
  const money = (amount: number) => {
    const digits = Number.isInteger(amount) ? 0 : 2
    return `${amount.toLocaleString(lang, { minimumFractionDigits: digits })} ${grant.currency ?? ''}`.trim()
  }
  const { count, uses, ends_at: end, act_amount: act, month_amount: month } = grant
  const date = timeFormat(lang, { dateStyle: 'medium' })
  const parts = [
    count !== null && t('limit.count.of', { uses, count }),
    end && t('limit.end.at', { time: date.format(new Date(end)) }),
    act !== null && t('limit.act.of', { amount: money(act) }),
    month !== null && t('limit.month.of', { spent: money(grant.month_spent ?? 0), amount: money(month) }),
  ].filter(Boolean)
  return parts.length ? parts.join(' · ') : t('limit.none')
}
