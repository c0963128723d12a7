import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The most files of a folder that are checked, each by a process of its own. */
const MAX_FILES = 20

/**
 * Adds file and line to a SyntaxError of a folder's code, of which `import` reports only the message; other errors stay
 * as they are. Checks the imported file first, then the others of the folder.
 */
export function withSyntaxPlace(error: unknown, folder: string, file: string): unknown {
  if (!(error instanceof SyntaxError)) return error
  const position = [file, ...listOtherFiles(folder, file)].map(findSyntaxPlace).find(Boolean)
  return position ? new SyntaxError(`${error.message} (${position})`, { cause: error }) : error
}

/** Returns the path and the line of a file's syntax error. */
function findSyntaxPlace(file: string): string | undefined {
  const { status, stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' })
  if (status === 0) return undefined
  return /^(?:file:\/\/)?(.*:\d+)$/m.exec(stderr)?.[1]
}

const listOtherFiles = (folder: string, file: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.[cm]?js$/.test(path) && !/(^|\/)node_modules\//.test(path))
    .map((path) => join(folder, path))
    .filter((path) => path !== file)
    .slice(0, MAX_FILES)
