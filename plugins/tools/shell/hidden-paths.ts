import { constants } from 'node:fs'
import { access, open, readlink } from 'node:fs/promises'
import { basename, delimiter, join, resolve } from 'node:path'
import type { Look } from './sandbox-view.ts'
import type { ProcessOrder } from './start-process.ts'

const MAX_LINKS = 40
/** The most interpreters behind one another. */
const MAX_INTERPRETERS = 4
/** The part of a program in which its interpreter is named, in bytes. */
const HEAD_BYTES = 512

/** The code of the error for a program that needs a path that the sandbox does not show. */
export const HIDDEN = 'HIDDEN'

/** Describes what the sandbox hides, and the remedy. */
export const describeHidden = (path: string): string =>
  `the sandbox does not show ${JSON.stringify(path)}: its folder has to be listed in plugins.shell.sandbox_folders`

/**
 * Follows a path as the sandbox would; returns the part of it that the sandbox does not show. Does not tell what exists
 * there, which a program in the sandbox must not learn.
 */
async function findHidden(path: string, look: Look): Promise<string | undefined> {
  let names = split(path)
  let folder = '/'
  for (let links = 0; links <= MAX_LINKS; ) {
    const name = names.shift()
    if (name === undefined) return undefined
    const next = join(folder, name)
    const state = look(next)
    if (state === 'hidden') return (await hasTopFolder(next)) ? join(next, ...names) : undefined
    const target = state === 'shown' ? await readTarget(next) : null
    // The system explains what is missing or unreadable.
    if (target === undefined) return undefined
    if (target !== null) {
      links += 1
      names = [...split(resolve(folder, target)), ...names]
    }
    folder = target === null ? next : '/'
  }
  return undefined
}

/** True if the machine has the first folder of a path; it does not hide what begins elsewhere. */
const hasTopFolder = (path: string): Promise<boolean> =>
  access(`/${split(path)[0]}`).then(
    () => true,
    () => false,
  )

const split = (path: string) => path.split('/').filter((name) => name !== '')

/** Returns the target of a link, null for anything else, and undefined if it cannot be read. */
async function readTarget(path: string): Promise<string | null | undefined> {
  try {
    return await readlink(path)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EINVAL' ? null : undefined
  }
}

type Program = Pick<ProcessOrder, 'file' | 'cwd' | 'env'>

/**
 * Returns the path that a program needs for its start and that the sandbox does not show: its folder, file or
 * interpreter.
 */
export const findHiddenProgram = async (program: Program, look: Look): Promise<string | undefined> =>
  (await findHidden(program.cwd, look)) ?? findHiddenFile(program, look, MAX_INTERPRETERS)

async function findHiddenFile(program: Program, look: Look, depth: number): Promise<string | undefined> {
  const { file, cwd, env } = program
  const isPath = file.includes('/')
  const folders = isPath ? [''] : (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  let hiddenFile: string | undefined
  for (const path of folders.map((folder) => resolve(cwd, folder, file))) {
    const hidden = await findHidden(path, look)
    if (hidden === undefined) {
      if (!(await isExecutable(path))) continue
      const interpreter = depth > 0 ? await readInterpreter(path) : undefined
      return interpreter && findHiddenFile({ ...program, file: interpreter }, look, depth - 1)
    }
    // A folder of the PATH may be hidden without holding the program.
    if (isPath || (await isExecutable(path))) hiddenFile ??= hidden
  }
  return hiddenFile
}

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

/** Returns the program that runs a script, as its first line names it; undefined for everything else. */
async function readInterpreter(path: string): Promise<string | undefined> {
  const head = await readHead(path)
  const [interpreter = '', ...args] = (/^#!([^\n]*)/.exec(head)?.[1] ?? '').trim().split(/\s+/)
  if (basename(interpreter) !== 'env') return interpreter || undefined
  return args.find((arg) => !arg.startsWith('-') && !arg.includes('='))
}

async function readHead(path: string): Promise<string> {
  // A pipe would otherwise wait for a writer. Programs may be executable without being readable.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined)
  try {
    if (!(await file?.stat())?.isFile()) return ''
    const { bytesRead, buffer } = await file!.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file?.close()
  }
}

/** Describes the first argument that names a path that the sandbox does not show, for a program that fails. */
export async function findHiddenArgument(args: readonly string[], look: Look): Promise<string | undefined> {
  for (const arg of args) {
    // Also the value of an option, such as --config=/srv/agent.json.
    const path = /^(?:-[\w-]+=)?(\/[^/\0]+\/[^\0]+)$/.exec(arg)?.[1]
    const hidden = path && (await findHidden(resolve(path), look))
    if (hidden) return describeHidden(hidden)
  }
  return undefined
}
