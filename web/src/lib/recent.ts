import type { StoreApi } from 'zustand'

/** Values by key, each made when it is first asked for; beyond `limit` the least recently used are dropped. */
export class Recent<Value> {
  private values = new Map<string, Value>()

  /** What is in use is kept, also beyond the limit. */
  constructor(
    private limit: number,
    private make: (key: string) => Value,
    private isInUse: (value: Value) => boolean,
  ) {}

  of(key: string): Value {
    const known = this.values.get(key)
    const value = known ?? this.make(key)
    // A Map keeps the order of insertion: what was used last comes last.
    this.values.delete(key)
    this.values.set(key, value)
    if (known === undefined) this.dropBeyondLimit(key)
    return value
  }

  /** Only what is there; it counts as no use. */
  peek(key: string): Value | undefined {
    return this.values.get(key)
  }

  private dropBeyondLimit(newest: string): void {
    for (const [key, value] of this.values) {
      if (this.values.size <= this.limit) return
      if (key !== newest && !this.isInUse(value)) this.values.delete(key)
    }
  }
}

/** Counts from now on who subscribes to a store. */
export function countSubscribers(store: StoreApi<unknown>): () => number {
  const { subscribe } = store
  const subscribers = new Set<symbol>()
  store.subscribe = (listener) => {
    const subscriber = Symbol()
    const stop = subscribe(listener)
    subscribers.add(subscriber)
    return () => {
      subscribers.delete(subscriber)
      stop()
    }
  }
  return () => subscribers.size
}
