import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { create } from 'zustand'
import { api } from '@/api/client'
import { refusedField } from '@/api/http'
import type { Settings, SettingValues } from '@/api/types'
import { type SettingName, shown, SPECS } from './fields'

type Texts = Partial<Record<SettingName, string>>

/** What was changed and not saved. It outlives the page, so that looking elsewhere loses nothing. */
const useDrafts = create<{ texts: Texts; faults: Texts }>(() => ({ texts: {}, faults: {} }))

const queryKey = ['settings']

export const useSettings = () => useQuery({ queryKey, queryFn: api.settings, staleTime: 30_000 })

export function useSetting(name: SettingName, { values, defaults }: Settings) {
  const text = useDrafts((state) => state.texts[name]) ?? shown(name, values)
  const fault = useDrafts((state) => state.faults[name])
  return {
    text,
    fault,
    standard: shown(name, defaults),
    change: (next: string) => {
      const isSame = next === shown(name, values)
      useDrafts.setState(({ texts, faults }) => ({
        texts: { ...without(texts, [name]), ...(isSame ? {} : { [name]: next }) },
        faults: without(faults, [name]),
      }))
    },
  }
}

/** Saving and dropping what was changed of these settings. */
export function useSave(names: SettingName[]) {
  const client = useQueryClient()
  const texts = useDrafts((state) => state.texts)
  const changed = names.filter((name) => name in texts)
  const forget = () =>
    useDrafts.setState(({ texts, faults }) => ({
      texts: without(texts, names),
      faults: without(faults, names),
    }))

  /** Returns what went wrong, where no field can say it. */
  const save = async (): Promise<string | null> => {
    const values = Object.fromEntries(changed.map((name) => [name, SPECS[name].read(texts[name]!)]))
    try {
      client.setQueryData(queryKey, await api.changeSettings(values as Partial<SettingValues>))
      void client.invalidateQueries({ queryKey: ['config'] })
      forget()
      return null
    } catch (error) {
      return showFault(error as Error, changed)
    }
  }
  return { isDirty: changed.length > 0, save, forget }
}

function showFault(error: Error, names: SettingName[]): string | null {
  const { field, detail } = refusedField(error, names)
  if (!field) return detail
  useDrafts.setState(({ faults }) => ({ faults: { ...faults, [field]: detail } }))
  return null
}

function without(texts: Texts, names: SettingName[]): Texts {
  return Object.fromEntries(Object.entries(texts).filter(([name]) => !names.includes(name as SettingName)))
}

/** Asks before a page with unsaved changes is closed. */
export function useLeaveGuard(): void {
  const isDirty = useDrafts(({ texts }) => Object.keys(texts).length > 0)
  useEffect(() => {
    if (!isDirty) return
    const hold = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', hold)
    return () => removeEventListener('beforeunload', hold)
  }, [isDirty])
}
