import { createHash } from 'node:crypto'
import { type Dirent, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAlias, isNode, LineCounter, parseAllDocuments, visit } from 'yaml'
import { OBJECT_KINDS, type ObjectKind } from './object-kinds.ts'
import { SentenceError } from './sentence-error.ts'
import type { Json } from './server-api.ts'

const MAX_YAML_BYTES = 1024 * 1024
const MAX_FILE_BYTES = 20 * 1024 * 1024
const MAX_FILES = 20_000

/** A file of an agent's workspace. */
export interface WorkspaceFile {
  /** Relative to the workspace. */
  path: string
  /** The path on this machine. */
  source: string
  sha256: string
}

/** An object as its file declares it. */
export interface DeclaredObject {
  kind: ObjectKind
  /** The path of the file within the folder. */
  file: string
  /** The content as it was written; `${NAME}` names a variable. */
  raw: Json
  /** The files of the workspace, of an agent. */
  files: WorkspaceFile[]
  /** Returns `file:line:column` of a value, or of the object that lacks it. */
  placeOf: (path: readonly (string | number)[]) => string
}

/** Reads a folder. Adds a line to `problems` for each thing that is wrong. */
export function readDeclaredFiles(dir: string, problems: string[]): DeclaredObject[] {
  const objects: DeclaredObject[] = []
  let count = 0
  const list = (path: string): Dirent[] => {
    const entries = readdirSync(join(dir, path), { withFileTypes: true })
      .filter(({ name }) => !name.startsWith('.') || path.split('/').length > 3)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
    count += entries.length
    if (count > MAX_FILES) throw new SentenceError(`${dir} has more than ${MAX_FILES} files`)
    return entries.filter((entry) => {
      if (entry.isFile() || entry.isDirectory()) return true
      const what = entry.isSymbolicLink() ? 'a symbolic link' : 'not a file'
      problems.push(`${joinPath(path, entry.name)}: is ${what}; only files and folders are read`)
      return false
    })
  }

  const listBelow = (path: string): string[] =>
    list(path).flatMap((entry) => {
      const below = joinPath(path, entry.name)
      return entry.isDirectory() ? listBelow(below) : [below]
    })

  const readObject = (kind: ObjectKind, file: string, folder?: string): void => {
    const raw = readYaml(dir, file, problems)
    if (!raw) return
    const files =
      folder === undefined
        ? []
        : listBelow(folder).flatMap((path) => readWorkspaceFile(dir, folder, path, problems))
    objects.push({ ...raw, kind, file, files })
  }

  const readAgents = (kind: ObjectKind): void => {
    for (const owner of list(kind.folder)) {
      const path = `${kind.folder}/${owner.name}`
      if (owner.isFile()) {
        problems.push(`${path}: belongs into ${kind.folder}/OWNER/, the folder of the agent's owner`)
        continue
      }
      const entries = list(path)
      const folders = new Set(entries.filter((entry) => entry.isDirectory()).map(({ name }) => name))
      for (const { name } of entries.filter((entry) => entry.isFile())) {
        const stem = name.replace(/\.yaml$/, '')
        if (stem === name)
          problems.push(`${path}/${name}: the name of a file that declares something ends in .yaml`)
        else readObject(kind, `${path}/${name}`, folders.delete(stem) ? `${path}/${stem}` : undefined)
      }
      for (const name of folders) problems.push(`${path}/${name}: ${name}.yaml is missing beside this folder`)
    }
  }

  for (const entry of list('')) {
    const kind = OBJECT_KINDS.find(({ folder }) => folder === entry.name)
    if (!entry.isDirectory()) continue
    if (!kind)
      problems.push(
        `${entry.name}: is not one of the folders ${OBJECT_KINDS.map(({ folder }) => folder).join(', ')}`,
      )
    else if (kind.name === 'agent') readAgents(kind)
    else
      for (const file of listBelow(kind.folder))
        if (file.endsWith('.yaml')) readObject(kind, file)
        else problems.push(`${file}: the name of a file that declares something ends in .yaml`)
  }
  return objects
}

const joinPath = (...parts: string[]) => parts.filter(Boolean).join('/')

function readWorkspaceFile(dir: string, folder: string, path: string, problems: string[]): WorkspaceFile[] {
  const source = join(dir, path)
  if (lstatSync(source).size > MAX_FILE_BYTES) {
    problems.push(`${path}: has more than ${MAX_FILE_BYTES / 1024 / 1024} MiB`)
    return []
  }
  const sha256 = createHash('sha256').update(readFileSync(source)).digest('hex')
  return [{ path: path.slice(folder.length + 1), source, sha256 }]
}

function readYaml(
  dir: string,
  file: string,
  problems: string[],
): Pick<DeclaredObject, 'raw' | 'placeOf'> | undefined {
  const path = join(dir, file)
  if (lstatSync(path).size > MAX_YAML_BYTES) {
    problems.push(`${file}: has more than ${MAX_YAML_BYTES / 1024 / 1024} MiB`)
    return undefined
  }
  const lines = new LineCounter()
  const documents = parseAllDocuments(readFileSync(path, 'utf8'), { lineCounter: lines, prettyErrors: false })
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}`
  }
  const [document, second] = Array.isArray(documents) ? documents : []
  if (!document) {
    problems.push(`${file}:1:1: is empty`)
    return undefined
  }
  const problemCount = problems.length
  if (second) problems.push(`${at(second.range[0])}: only one document is allowed in a file`)
  for (const { message, pos } of [...document.errors, ...document.warnings])
    problems.push(`${at(pos[0])}: ${message}`)
  visit(document, (_, node) => {
    if (!isNode(node) || !(isAlias(node) || node.anchor)) return
    problems.push(`${at(node.range?.[0] ?? 0)}: anchors and aliases are not allowed`)
  })
  if (problems.length > problemCount) return undefined
  const raw = document.toJS() as unknown
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    problems.push(`${file}:1:1: must have fields, such as "name: …"`)
    return undefined
  }
  const placeOf: DeclaredObject['placeOf'] = (fields) => {
    for (let length = fields.length; length > 0; length -= 1) {
      const node = document.getIn(fields.slice(0, length), true)
      if (isNode(node) && node.range) return at(node.range[0])
    }
    return `${file}:1:1`
  }
  return { raw: raw as Json, placeOf }
}
