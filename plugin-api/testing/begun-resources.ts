import { createHook } from 'node:async_hooks'
import { runningPlugin } from '#kernel/isolation'

/** Types of what keeps a process alive until somebody ends it. */
const LASTING = new Set([
  'Timeout',
  'TCPSERVERWRAP',
  'TCPWRAP',
  'PIPESERVERWRAP',
  'PIPEWRAP',
  'UDPWRAP',
  'FSEVENTWRAP',
  'STATWATCHER',
  'PROCESSWRAP',
  'MESSAGEPORT',
  'WORKER',
])

/** Watches from now on what a plugin begins. */
export function watchResources(plugin: string): { remaining(): string[]; stop(): void } {
  const begun = new Map<number, { type: string; resource: { hasRef?(): boolean } }>()
  const hook = createHook({
    init(id, type, _, resource) {
      if (LASTING.has(type) && runningPlugin() === plugin) begun.set(id, { type, resource })
    },
    destroy: (id) => void begun.delete(id),
  }).enable()
  return {
    /** Names the types of what has begun since, was not ended, and keeps the process alive. */
    remaining: () =>
      [...begun.values()].flatMap(({ type, resource }) => (resource.hasRef?.() === false ? [] : [type])),
    stop: () => void hook.disable(),
  }
}
