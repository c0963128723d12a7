import { type ConfinedProgram, type Confinement, startConfinedProgram } from './confined-program.ts'

/** The idle programs that are kept, and the time for which each one is, in milliseconds. */
const MAX_IDLE = 2
const IDLE_MS = 10_000
/** The uses after which a program is replaced. */
const MAX_USES = 50

/** Programs of one module. */
export type ConfinedPool = ReturnType<typeof createConfinedPool>

/** Creates a pool; no program runs before it is needed. */
export function createConfinedPool(module: URL, bounds: Confinement) {
  interface Idle {
    owner: string
    program: ConfinedProgram
    retirement: NodeJS.Timeout
  }
  const idle = new Set<Idle>()
  const uses = new WeakMap<ConfinedProgram, number>()

  const retire = async (entry: Idle) => {
    clearTimeout(entry.retirement)
    idle.delete(entry)
    await entry.program.end()
  }

  return {
    /** Returns the idle program of an owner, or a new one. */
    take(owner: string): ConfinedProgram {
      for (const entry of idle) {
        if (entry.owner !== owner) continue
        clearTimeout(entry.retirement)
        idle.delete(entry)
        if (entry.program.isRunning()) return entry.program
      }
      return startConfinedProgram(module, bounds)
    },

    /** Keeps a program for its owner's next task for a while; only if what it has worked on left nothing behind. */
    async keep(owner: string, program: ConfinedProgram): Promise<void> {
      const count = (uses.get(program) ?? 0) + 1
      uses.set(program, count)
      if (count >= MAX_USES) return program.end()
      const entry: Idle = {
        owner,
        program,
        retirement: setTimeout(() => void retire(entry), IDLE_MS).unref(),
      }
      idle.add(entry)
      const [oldest] = idle
      if (idle.size > MAX_IDLE) await retire(oldest!)
    },

    /** Ends the idle programs. */
    async end(): Promise<void> {
      await Promise.all([...idle].map(retire))
    },
  }
}
