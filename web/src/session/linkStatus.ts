import { create } from 'zustand'
import type { LinkStatus } from '@/stream/link'

/** The state of this browser's one stream. */
export const useLinkStatus = create<{ status: LinkStatus }>(() => ({ status: 'connecting' }))
