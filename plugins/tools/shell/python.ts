import type { Processes } from './processes.ts'
import { runProgram } from './program.ts'

/** The oldest Python that runs the code of agents, as a Python expression. */
const OLDEST = '(3, 8)'
/** The time limit of the trial. */
const TRIAL_SECONDS = 10

/** The Python of the server. */
export type Python = ReturnType<typeof createPython>

/** Creates the service that looks for Python 3 where programs of agents find it, once. */
export function createPython({
  processes: { path, start },
}: {
  processes: Pick<Processes, 'path' | 'start'>
}) {
  async function look(): Promise<boolean> {
    const order = {
      file: 'python3',
      args: ['-c', `import sys; sys.exit(sys.version_info < ${OLDEST})`],
      cwd: '/',
      env: { PATH: path, LANG: 'C.UTF-8' },
      writable: { folders: [], area: null },
      network: false,
      seconds: TRIAL_SECONDS,
    }
    try {
      const { code } = await runProgram(order, { signal: new AbortController().signal, start })
      return code === 0
    } catch (error) {
      // A call says why nothing runs if a required sandbox is missing.
      return !(error as NodeJS.ErrnoException).syscall?.startsWith('spawn')
    }
  }
  let looked: Promise<boolean> | undefined

  return {
    /** True if Python 3 is there, or if no program runs at all, in which case a call says why. */
    isUsable(): Promise<boolean> {
      looked ??= look()
      return looked
    },
  }
}
