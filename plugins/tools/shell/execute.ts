import { realpath, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createDeadline, createSemaphore, isWithin, objectOf, type Tool, type TypeOf } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { Processes } from './processes.ts'
import { MAX_WRITTEN_BYTES, type ProgramEnd, type ProgramOrder, runProgram } from './program.ts'

const DEFAULT_SECONDS = 60

const input = objectOf(
  {
    command: {
      type: 'string',
      minLength: 1,
      maxLength: 100_000,
      description:
        'The name of a program or its path (relative to cwd), without arguments; with shell set, a command line for /bin/sh.',
    },
    args: {
      type: 'array',
      items: { type: 'string', maxLength: 100_000 },
      maxItems: 1000,
      description: 'The arguments of the program, each passed on unchanged. Not with shell.',
    },
    shell: {
      type: 'boolean',
      description:
        'Has /bin/sh read the command: needed for pipes, redirections, variables and wildcards. Default: false.',
    },
    cwd: {
      type: 'string',
      maxLength: 4096,
      description: 'The folder to run in, relative to the workspace. Default: the workspace.',
    },
    stdin: {
      type: 'string',
      maxLength: 1_000_000,
      description: 'The text that the program can read from its standard input. Default: nothing.',
    },
    timeout_seconds: {
      type: 'integer',
      minimum: 1,
      description: `Seconds after which the program is ended. Default: ${DEFAULT_SECONDS}; more to build, install or test something, usually up to 600.`,
    },
  },
  ['command'],
)

/** Creates the tool that runs a program in the workspace. */
export function createExecute(services: () => { programs: Programs; processes: Processes }): Tool {
  return {
    name: 'execute',
    label: { en: 'Run a program', zh: '运行程序' },
    description: `Runs a program on the server, in the workspace, and returns its output (the head and the tail if it is longer than 64 KiB), then its exit code.
Use it to build, test, convert, compute, or to use a command-line program. To read, write, list or search files use the file tools instead: they are quicker and need no approval.
Prefer a program with args: no shell reads them, so nothing in them has to be quoted. Set shell only for what needs one.
Nobody can answer a prompt: pass options such as --yes. Each call starts afresh: cd and variables do not carry over. Processes that still run when the program ends are ended with it, so nothing can be left in the background. Keep results in the workspace: other folders may be read-only, or emptied after the call. The environment has only PATH, HOME (the workspace) and LANG.`,
    input_schema: input,
    disableable: true,
    permission: 'execute',
    needsApproval: () => true,
    async execute(
      { command, args = [], shell = false, cwd = '.', stdin, timeout_seconds }: TypeOf<typeof input>,
      { workspace, write_area, signal },
    ) {
      const {
        programs: { max_seconds, run },
        processes,
      } = services()
      const seconds = timeout_seconds ?? Math.min(DEFAULT_SECONDS, max_seconds)
      if (seconds > max_seconds)
        throw new Error(`timeout_seconds may be at most ${max_seconds} on this server`)
      if (shell && args.length > 0)
        throw new Error('with shell set there are no args: write them into the command, quoted')
      if ([command, ...args].some((text) => text.includes('\0')))
        throw new Error('the command contains a NUL character')
      const { root, folder } = await findWorkingFolder(workspace, cwd)
      const order = {
        ...(shell ? { file: '/bin/sh', args: ['-c', command] } : { file: command, args }),
        cwd: folder,
        env: { PATH: processes.path, HOME: root, LANG: 'C.UTF-8' },
        writable: { folders: [root], area: write_area },
        stdin,
        seconds,
      }
      const end = await run(order, signal).catch((error) => {
        throw explainRefusal(error, order.file, processes)
      })
      return describe(end, seconds)
    },
  }
}

/** Converts the system's refusal to start a program to a sentence; returns any other error unchanged. */
function explainRefusal(
  error: NodeJS.ErrnoException,
  file: string,
  { explainRefusal: explain }: Processes,
): Error {
  if (!error?.syscall?.startsWith('spawn')) return error
  return new Error(`${quote(file)} ${explain(error)}`, { cause: error })
}

function describe(
  { output, code, signal, reason, left_behind, hidden }: ProgramEnd,
  seconds: number,
): string {
  const how = code === null ? `ended by ${signal}` : `exit code ${code}`
  // A program that receives a signal may still end with a code of its own.
  const asking = code === null || !reason ? '' : ' after it was asked to end'
  const why = reason ? DESCRIBE_REASON[reason](seconds) : ''
  return [
    output === '' ? '(no output)' : output.replace(/\n$/, ''),
    ...(left_behind ? ['[processes that it had left running were ended]'] : []),
    ...(hidden ? [`[${hidden}]`] : []),
    `[${how}${asking}${why}]`,
  ].join('\n')
}

const DESCRIBE_REASON: Record<NonNullable<ProgramEnd['reason']>, (seconds: number) => string> = {
  time: (seconds) => `, as it did not end within ${seconds} s`,
  output: () => `, as it had written more than ${MAX_WRITTEN_BYTES / 1024 / 1024} MiB`,
}

const REASONS: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'is not a folder, or something on the way to it is not',
  ELOOP: 'is a link that cannot be followed',
  EACCES: 'may not be opened',
  ENAMETOOLONG: 'has a name that is too long',
  ERR_INVALID_ARG_VALUE: 'contains a NUL character',
}

/** Quotes a name for a message. */
const quote = (name: string): string => JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name)

/**
 * Returns the real paths of a workspace and of the folder in it in which a program runs. Throws an Error with a
 * sentence if it is not a folder of the workspace, or leads out of it through a link.
 */
async function findWorkingFolder(workspace: string, cwd: string): Promise<{ root: string; folder: string }> {
  const root = await realpath(workspace)
  const isInside = [root, workspace].some((base) => isWithin(base, resolve(base, cwd)))
  if (!isInside) throw new Error(`the folder ${quote(cwd)} is outside the workspace`)
  try {
    const folder = await realpath(resolve(root, cwd))
    if (!isWithin(root, folder))
      throw new Error(`the folder ${quote(cwd)} leads out of the workspace through a link`)
    if (!(await stat(folder)).isDirectory()) throw new Error(`${quote(cwd)} is not a folder`)
    return { root, folder }
  } catch (error) {
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? '']
    throw reason ? new Error(`the folder ${quote(cwd)} ${reason}`, { cause: error }) : error
  }
}

/** The programs that agents run in this server process. */
export type Programs = ReturnType<typeof createPrograms>

/** Creates the record of running programs. */
export function createPrograms({
  config: { max_seconds, max_processes },
  processes: { start },
}: {
  config: Pick<Cradle['config'], 'max_seconds' | 'max_processes'>
  processes: Pick<Processes, 'start'>
}) {
  const permits = createSemaphore()
  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()

  return {
    max_seconds,
    /** Runs a program once a slot is free; rejects with the signal's reason if it is aborted. */
    run(order: ProgramOrder, signal: AbortSignal): Promise<ProgramEnd> {
      const until = createDeadline([signal, closing.signal])
      const run = permits
        .run(max_processes, until.signal, () => runProgram(order, { signal: until.signal, start }))
        .finally(until.release)
      running.add(run)
      return run.finally(() => running.delete(run))
    },
    /** Kills all running programs, with everything that they started, and starts no others. */
    async close(): Promise<void> {
      closing.abort(new Error('the server is shutting down'))
      await Promise.allSettled(running)
    },
  }
}
