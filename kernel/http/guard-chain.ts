import type { GuardContexts } from '../contract/additions.ts'
import type { SomeCradle } from '../contract/cradle.ts'
import type { Guard, GuardRequest, GuardUse } from '../contract/guard.ts'
import type { PlannedPlugin } from '../loading/consistency.ts'

/** Runs a guard and those before it; each adds to `context`, also if a later one refuses. */
export type GuardChain = (request: GuardRequest, context: object) => Promise<void>

/** Resolves guards by name to chains over the plugins that run. */
export function createGuardChains(
  plugins: readonly PlannedPlugin[],
  cradleOf: (plugin: string) => SomeCradle,
): (use: GuardUse) => GuardChain {
  const guards = new Map<string, { guard: Guard; owner: string }>()
  for (const { plugin, declarations } of plugins)
    for (const [name, guard] of declarations.guards) guards.set(name, { guard, owner: plugin.name })

  const chainOf = (name: string): { guard: Guard; owner: string }[] => {
    if (name === 'public') return []
    // A route depends on the guard's plugin, so the guard exists.
    const declared = guards.get(name)!
    return [...chainOf(declared.guard.after ?? 'public'), declared]
  }

  return (use) => {
    const [name, argument] = typeof use === 'string' ? [use] : use
    const chain = chainOf(name satisfies keyof GuardContexts)
    const last = chain.at(-1)
    return async (request, context) => {
      if (last?.guard.bypass?.(request, cradleOf(last.owner))) return
      for (const { guard, owner } of chain)
        Object.assign(context, await guard.check(request, cradleOf(owner), context as never, argument))
    }
  }
}
