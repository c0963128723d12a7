import { realpath, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isWithin, type ToolContext } from '#plugin-api'
import type { Processes } from './processes.ts'
import { MAX_WRITTEN_BYTES, type ProgramEnd } from './program.ts'
import type { Programs } from './programs.ts'
import type { Sandbox } from './sandbox.ts'
import { attachWrittenFiles } from './written-files.ts'

/** The time limit of a program if the call has none. */
export const DEFAULT_SECONDS = 60

/** The services that the tools use. */
export interface ProgramServices {
  programs: Programs
  processes: Processes
  sandbox: Pick<Sandbox, 'network'>
}

/** A program that a tool runs in the workspace. */
interface WorkspaceProgram {
  file: string
  args: readonly string[]
  /** The folder to run in, relative to the workspace. */
  cwd?: string
  stdin?: string
  timeout_seconds?: number
  env?: Readonly<Record<string, string>>
}

/**
 * Runs a program in the workspace and attaches the pictures, tables and documents that it wrote; returns its output with
 * its end in words. Throws a sentence if it cannot be started.
 */
export async function runInWorkspace(
  { file, args, cwd = '.', stdin, timeout_seconds, env }: WorkspaceProgram,
  { workspace, write_area, signal, attach }: ToolContext,
  { programs: { max_seconds, run }, processes, sandbox }: ProgramServices,
): Promise<string> {
  const seconds = timeout_seconds ?? Math.min(DEFAULT_SECONDS, max_seconds)
  if (seconds > max_seconds) throw new Error(`timeout_seconds may be at most ${max_seconds} on this server`)
  const { root, folder } = await findWorkingFolder(workspace, cwd)
  const order = {
    ...{ file, args, stdin, seconds },
    cwd: folder,
    env: { PATH: processes.path, HOME: root, LANG: 'C.UTF-8', ...env },
    writable: { folders: [root], area: write_area },
    network: sandbox.network,
  }
  const startedAt = Date.now()
  const end = await run(order, signal).catch((error) => {
    throw explainRefusal(error, file, processes)
  })
  const files = await attachWrittenFiles(root, startedAt, attach)
  return describe(end, seconds, files)
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
  { output, code, signal, reason, excess, left_behind, hints }: ProgramEnd,
  seconds: number,
  files: readonly string[],
): string {
  const how = code === null ? `ended by ${signal}` : `exit code ${code}`
  // A program that receives a signal may still end with a code of its own.
  const asking = code === null || !reason ? '' : ' after it was asked to end'
  const why = reason ? DESCRIBE_REASON[reason](seconds) : excess ? `, as ${excess}` : ''
  return [
    output === '' ? '(no output)' : output.replace(/\n$/, ''),
    ...(left_behind ? ['[processes that it had left running were ended]'] : []),
    ...[...files, ...hints].map((note) => `[${note}]`),
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
