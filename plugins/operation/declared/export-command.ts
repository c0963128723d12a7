import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import type { Command, CommandInput } from '#plugin-api'
import { listWorkspaceFiles } from './agent-files.ts'
import { connectionCommand } from './connection-command.ts'
import type { Cradle } from './manifest.ts'
import { OBJECT_KINDS, type ObjectKind } from './object-kinds.ts'
import { createObjectReader, HIDDEN, type StoredObject, withoutDefaults } from './object-reader.ts'
import { SentenceError } from './sentence-error.ts'
import type { Json, ServerApi } from './server-api.ts'

/** `svc export`: writes what a server has as files that `svc apply` reads. */
export const exportCommand: Command<Cradle> = connectionCommand(
  {
    name: 'export',
    summary: 'Write agents, experts, groups, providers, connectors, schedules, channels and prompts as files',
    arguments: [{ name: 'dir', summary: 'folder to write; it must be empty or missing', required: true }],
  },
  async (input, api) => {
    const [dir = ''] = input.args
    await assertEmpty(dir)
    const reader = createObjectReader(api)
    let count = 0
    for (const kind of OBJECT_KINDS) {
      const idByPath = new Map<string, string>()
      const rows = await reader.listRows(kind)
      for (const listed of rows) {
        const object = await reader.read(kind, listed)
        const path = pathOf(kind, object)
        const reason = idByPath.has(path.toLowerCase())
          ? `another ${kind.name} has this name`
          : reasonToSkip(kind, object)
        idByPath.set(path.toLowerCase(), object.id)
        if (reason) {
          input.stderr.write(`${path} was left out: ${reason}\n`)
          continue
        }
        await writeObject(join(dir, path), kind, object)
        if (kind.name === 'agent')
          await writeWorkspace(join(dir, path.replace(/\.yaml$/, '')), object, api, input)
        count += 1
      }
    }
    input.stdout.write(`Exported ${count} objects to ${dir}\n`)
    return 0
  },
)

/** Throws unless a folder is missing or empty. */
async function assertEmpty(dir: string): Promise<void> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new SentenceError(`${dir} cannot be written: ${error.message}`)
  })
  if (names.length > 0)
    throw new SentenceError(`${dir} is not empty: choose a new folder, or empty this one first`)
}

/** The reason for which a file could not declare an object; undefined for all others. */
function reasonToSkip({ name }: ObjectKind, { form }: StoredObject): string | undefined {
  if (name === 'expert' && form.agent === undefined) return 'the agent that it was published from is deleted'
  const { at } = (form.schedule ?? {}) as { at?: number }
  if (name === 'schedule' && at !== undefined && at * 1000 <= Date.now()) return 'its only time has passed'
  return undefined
}

/** Returns the path of the file of an object, from names that may contain any characters. */
function pathOf({ folder, name }: ObjectKind, { form }: StoredObject): string {
  const own = toFileName(String(name === 'expert' ? form.slug : form.name))
  const above = name === 'agent' ? [form.owner] : name === 'expert' ? [] : String(form.agent ?? '').split('/')
  return [folder, ...above.filter(Boolean).map((part) => toFileName(String(part))), `${own}.yaml`].join('/')
}

const toFileName = (name: string) =>
  name.replace(/^\.|[^\p{L}\p{M}\p{N} ._@+-]|[. ]$/gu, (character) =>
    encodeURIComponent(character).replace('.', '%2E'),
  )

async function writeObject(path: string, kind: ObjectKind, object: StoredObject): Promise<void> {
  const variables: string[] = []
  const form = nameSecrets(withoutDefaults(kind, object.form), kind, object.key, variables)
  const note = variables.length > 0 ? `# Secrets: ${variables.join(', ')}\n` : ''
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, note + stringify(form, { lineWidth: 0, aliasDuplicateObjects: false }))
}

/** Puts variables in place of the values that the server does not show, and escapes what would be read as one. */
function nameSecrets(form: Json, kind: ObjectKind, key: string, variables: string[]): Json {
  if (!kind.config) return form
  const replace = (value: unknown, path: readonly string[]): unknown => {
    if (value === HIDDEN) {
      const variable = ['SVC_SECRET', kind.name, key, ...path].map(toVariablePart).join('_')
      variables.push(variable)
      return `\${${variable}}`
    }
    if (typeof value === 'string') return value.replaceAll('${', '$${')
    if (Array.isArray(value)) return value.map((item, index) => replace(item, [...path, String(index)]))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [name, replace(part, [...path, name])]),
    )
  }
  return replace(form, []) as Json
}

const toVariablePart = (text: string) => text.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase()

async function writeWorkspace(
  folder: string,
  { path: agent }: StoredObject,
  api: ServerApi,
  { stderr }: Pick<CommandInput, 'stderr'>,
): Promise<void> {
  for (const path of await listWorkspaceFiles(agent, api)) {
    const target = join(folder, path)
    try {
      await mkdir(dirname(target), { recursive: true })
      await writeFile(target, await api.readBytes(`${agent}/files/content?path=${encodeURIComponent(path)}`))
    } catch (error) {
      await rm(target, { force: true })
      stderr.write(`${target} was left out: ${(error as Error).message}\n`)
    }
  }
}
