import type { Logger } from '../log.ts'
import { askForNearest } from '../nearest-name.ts'
import type { Events } from './additions.ts'

/** Typed facts between plugins: soft coupling without knowing who listens. */
export interface EventBus {
  /**
   * Calls every listener in the order in which their plugins start; resolves when all are done. What they throw is
   * logged. Throws if no manifest names the event.
   */
  emit<Name extends keyof Events>(name: Name, payload: Events[Name]): Promise<void>
}

/** An event bus that listeners can be added to, each in the name of its plugin. */
export interface OpenEventBus extends EventBus {
  on<Name extends keyof Events>(
    name: Name,
    plugin: string,
    listener: (payload: Events[Name]) => unknown,
  ): void
}

/** Makes an event bus with no listeners for the events that manifests name. */
export function createEventBus({ names, log }: { names: ReadonlySet<string>; log: Logger }): OpenEventBus {
  const listeners = new Map<keyof Events, { plugin: string; listener: (payload: never) => unknown }[]>()
  return {
    on(name, plugin, listener) {
      listeners.set(name, [...(listeners.get(name) ?? []), { plugin, listener }])
    },
    async emit(name, payload) {
      if (!names.has(name))
        throw new Error(
          `no manifest names the event "${name}": add it to "events" of yours${askForNearest(name, names)}`,
        )
      for (const { plugin, listener } of listeners.get(name) ?? []) {
        try {
          await listener(payload as never)
        } catch (error) {
          log.error({ error, plugin, event: name }, 'a listener failed')
        }
      }
    },
  }
}
