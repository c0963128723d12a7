import type { Events } from './types.ts'

/** Typed events between plugins: soft coupling without knowing who listens. */
export interface EventBus {
  /** Runs every listener in order of their plugins' start and waits; failures are gathered and thrown. */
  emit<Name extends keyof Events>(name: Name, payload: Events[Name]): Promise<void>
}

/** An event bus that listeners can be added to. */
export interface OpenEventBus extends EventBus {
  on<Name extends keyof Events>(name: Name, listener: (payload: Events[Name]) => unknown): void
}

/** Makes an event bus with no listeners. */
export function createEventBus(): OpenEventBus {
  const listeners = new Map<keyof Events, ((payload: never) => unknown)[]>()
  return {
    on(name, listener) {
      listeners.set(name, [...(listeners.get(name) ?? []), listener])
    },
    async emit(name, payload) {
      const failures: unknown[] = []
      for (const listener of listeners.get(name) ?? []) {
        try {
          await listener(payload as never)
        } catch (error) {
          failures.push(error)
        }
      }
      if (failures.length === 1) throw failures[0]
      if (failures.length > 1)
        throw new AggregateError(failures, `${failures.length} listeners of ${name} failed`)
    },
  }
}
