import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { askOnTerminal, type Command, type CommandInput } from '#plugin-api'
import { connectionCommand } from './connection-command.ts'
import { checkObjects } from './declared-checks.ts'
import { readDeclaredFiles } from './declared-files.ts'
import { applyObject, prune } from './execution.ts'
import type { Cradle } from './manifest.ts'
import { OBJECT_KINDS } from './object-kinds.ts'
import { createObjectReader, type ObjectReader } from './object-reader.ts'
import { makePlan, type Plan, type PlannedObject, type UndeclaredObject } from './plan.ts'
import { readReferences } from './references.ts'
import { SentenceError } from './sentence-error.ts'
import { RefusalError, type ServerApi } from './server-api.ts'

/** The time between two renewals of the lease, and between two attempts to get it, in milliseconds. */
const RENEWAL_MS = 10_000
const RETRY_MS = 1000

/** `svc apply`: makes a server what the files of a folder declare. */
export const applyCommand: Command<Cradle> = connectionCommand(
  {
    name: 'apply',
    summary: 'Make agents, groups, providers and other objects what the files of a folder declare',
    arguments: [{ name: 'dir', summary: 'folder, as svc export writes it', required: true }],
    options: [
      { flags: '--dry-run', summary: 'only show what would change' },
      { flags: '--prune', summary: 'delete what an earlier apply made and no file declares any more' },
      { flags: '--yes', summary: 'do not ask before deleting' },
      { flags: '--release <file>', summary: 'only let people change the object of this file again' },
    ],
  },
  async (input, api) => {
    const { options, args } = input
    const [dir = ''] = args
    if (typeof options.release === 'string') return release(options.release, api, input)
    if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory())
      throw new SentenceError(`${dir} is not a folder`)
    const problems: string[] = []
    const files = readDeclaredFiles(dir, problems)
    const objects = await checkObjects(files, {
      api,
      reader: createObjectReader(api),
      env: input.env,
      problems,
    })
    if (problems.length > 0) return refuse(problems, input)
    if (options.dryRun) {
      const { plan } = await planNow()
      return problems.length > 0 ? refuse(problems, input) : show(plan, input, Boolean(options.prune))
    }
    return withLease(api, input, async () => {
      const { plan, reader, references } = await planNow()
      if (problems.length > 0) return refuse(problems, input)
      show(plan, input, Boolean(options.prune))
      const removed = options.prune && (await mayDelete(plan, input)) ? plan.undeclared : []
      const { username } = await api.request<{ username: string }>('/auth/me')
      let failures = 0
      const report = (file: string, message: string) => {
        failures += 1
        input.stderr.write(`${file}: ${message}\n`)
      }
      for (const step of plan.steps) {
        const { kind, form, file } = step.object
        if (kind.isBelowAgent && references.agentOf(form) === undefined) {
          report(file, `The agent ${form.agent} could not be applied.`)
          continue
        }
        await applyObject(step, { api, references, username }).catch((error: unknown) => {
          if (!(error instanceof RefusalError)) throw error
          report(file, error.message)
        })
      }
      await prune(removed, { api, pathOf: (object) => findPath(object, reader) })
      if (failures > 0) input.stderr.write(`${failures} objects could not be applied; the others were\n`)
      return failures > 0 ? 1 : 0
    })

    async function planNow() {
      const reader = createObjectReader(api)
      const references = await readReferences(reader)
      return { reader, references, plan: await makePlan(objects, { api, reader, references, problems }) }
    }
  },
)

function refuse(problems: readonly string[], { stderr }: Pick<CommandInput, 'stderr'>): number {
  for (const line of problems) stderr.write(`${line}\n`)
  stderr.write(`Nothing was applied: ${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}\n`)
  return 1
}

/** Prints a plan. */
function show(plan: Plan, { stdout }: Pick<CommandInput, 'stdout'>, isPruned: boolean): number {
  for (const step of plan.steps) for (const line of describe(step)) stdout.write(`${line}\n`)
  for (const { file } of plan.undeclared)
    stdout.write(isPruned ? `- deleted ${file}\n` : `! not declared any more ${file}: --prune deletes it\n`)
  stdout.write(`= ${plan.unchanged} unchanged\n`)
  return 0
}

function describe({ object: { file, files }, current, isAdopted, changes }: PlannedObject): string[] {
  if (!current) return [`+ created ${file}`]
  const lines = changes.map(
    ({ field, shown }) => `~ changed ${file} ${field}: ${shown ?? '(values are not shown)'}`,
  )
  if (lines.length === 0 && !isAdopted)
    lines.push(`~ changed ${file}: ${files.length > 0 ? 'files, or ' : ''}values that are not shown`)
  return isAdopted ? [`~ adopted ${file}: it was not made by svc apply`, ...lines] : lines
}

/** True unless the person keeps the objects that no file declares. Throws without a terminal. */
async function mayDelete({ undeclared }: Plan, { options, stdin, stderr }: CommandInput): Promise<boolean> {
  if (undeclared.length === 0 || options.yes) return true
  if (!stdin.isTTY) throw new SentenceError('Nothing was applied: without a terminal, --prune needs --yes')
  const answer = await askOnTerminal({ stdin, stderr }, `Delete ${undeclared.length} objects? [y/N] `)
  return /^y(es)?$/i.test(answer)
}

async function findPath({ kind, id }: Pick<UndeclaredObject, 'kind' | 'id'>, reader: ObjectReader) {
  const match = (await reader.listRows(kind)).find(({ row }) => row.id === id)
  return match && (match.agent ? `/agents/${match.agent.id}` : '') + kind.itemOf(id)
}

/** Works while no other apply does; waits for one that runs. */
async function withLease(
  api: ServerApi,
  { stderr }: Pick<CommandInput, 'stderr'>,
  work: () => Promise<number>,
): Promise<number> {
  const body = { holder: randomBytes(12).toString('hex') }
  const begin = () => api.request('/managed/begin', { method: 'POST', body })
  for (let isTold = false; ; isTold = true)
    try {
      await begin()
      break
    } catch (error) {
      if (!(error instanceof RefusalError) || error.code !== 'APPLY_RUNNING') throw error
      if (!isTold) stderr.write('Another svc apply is running; waiting until it ends.\n')
      await pause(RETRY_MS)
    }
  let lost: unknown
  const renewal = setInterval(() => void begin().catch((error: unknown) => (lost = error)), RENEWAL_MS)
  try {
    const code = await work()
    if (lost) throw lost
    return code
  } finally {
    clearInterval(renewal)
    await api.request('/managed/end', { method: 'POST', body, isLast: true }).catch(() => {
      // The lease of an apply that cannot end it expires.
    })
  }
}

async function release(
  file: string,
  api: ServerApi,
  { stdout }: Pick<CommandInput, 'stdout'>,
): Promise<number> {
  for (const { name } of OBJECT_KINDS) {
    const object = (await api.list(`/managed?kind=${name}`)).find((row) => row.file === file)
    if (!object) continue
    await api.request('/managed/release', { method: 'POST', body: { kind: name, id: object.id } })
    stdout.write(`Released ${file}: people can change it again\n`)
    return 0
  }
  throw new SentenceError(`No managed object comes from ${file}`)
}
