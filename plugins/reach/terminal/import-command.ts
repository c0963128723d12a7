import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { components } from '#client'
import { type Command, type CommandInput, JSON_OPTION, printJson } from '#plugin-api'
import type { SignedInAccount } from './connect.ts'
import type { Cradle } from './manifest.ts'
import { shorten } from './printable.ts'
import { readAnswer } from './service.ts'
import { accountCommand } from './signed-in.ts'

type Import = components['schemas']['Import']

/** The interval at which a running import is read, in milliseconds. */
const POLL_MS = 500
const LINES = 200
/** The most failed conversations that are named. */
const MAX_NAMED = 20
/** The width of a text of a person in a line of output. */
const COLUMNS = 60

const STATUSES = ['imported', 'unchanged', 'empty', 'failed'] as const

const command = accountCommand(
  {
    name: 'import',
    summary: 'Import conversations from an export of ChatGPT, Claude, Open WebUI or LibreChat',
    arguments: [{ name: 'file', summary: 'the ZIP archive, or a JSON file of it', required: true }],
    options: [
      {
        flags: '--agent <agent>',
        summary: 'name or ID of the agent that the conversations go to (default: assistant)',
      },
      {
        flags: '--user <name>',
        summary: 'on the home of a running server: the account that receives them, without its password',
      },
      JSON_OPTION,
    ],
  },
  async (input, at) => {
    const { args, options, stdout } = input
    const created = await upload(args[0]!, options.agent, at)
    const ended = await follow(created, input, at)
    const failed = await listFailed(ended, at)
    if (options.json) printJson(stdout, { ...ended, failures: failed })
    else printSummary(ended, failed, input)
    if (ended.state === 'failed') throw new Error(ended.reason!.message)
    if (ended.state === 'cancelled') throw new Error('The import was cancelled.')
    if (ended.counts.failed > 0)
      throw new Error(`Conversations that could not be imported: ${ended.counts.failed}.`)
  },
)

/** `svc import`: imports conversations of other products; the exit code is 1 if any of them failed. */
export const importCommand: Command<Cradle> = {
  ...command,
  usesDatabase: ({ options }) => options.user !== undefined,
}

async function upload(
  file: string,
  agent: CommandInput['options'][string],
  { service, url }: SignedInAccount,
): Promise<Import> {
  const form = new FormData()
  if (typeof agent === 'string') form.set('agent', agent)
  // The file is read while it is sent.
  form.set('file', await openAsBlob(file), basename(file))
  return readAnswer(service.POST('/imports', { body: { file: [] }, bodySerializer: () => form }), url)
}

/** Waits until an import has ended, and shows how far it is. */
async function follow(
  created: Import,
  { options, stderr }: CommandInput,
  { service, url }: SignedInAccount,
): Promise<Import> {
  const params = { path: { id: created.id }, query: { limit: 1 } }
  let shown = ''
  for (;;) {
    const { lines: _, ...current } = await readAnswer(service.GET('/imports/{id}', { params }), url)
    const isOver = current.state !== 'queued' && current.state !== 'running'
    const text = `${Math.floor(current.progress * 100)} %  ${describeCounts(current)}`
    if (stderr.isTTY && !options.json) {
      stderr.write(`\r${text.padEnd(shown.length)}`)
      if (isOver) stderr.write('\n')
    }
    shown = text
    if (isOver) return current
    await sleep(POLL_MS)
  }
}

const describeCounts = ({ counts }: Import) =>
  STATUSES.map((status) => `${counts[status]} ${status}`).join(', ')

/** Lists the failed conversations of an import. */
async function listFailed({ id, counts }: Import, { service, url }: SignedInAccount) {
  if (counts.failed === 0) return []
  const params = { path: { id }, query: { status: 'failed' as const, limit: LINES } }
  const { lines } = await readAnswer(service.GET('/imports/{id}', { params }), url)
  return lines.map(({ title, reason }) => ({ title, reason: reason?.message ?? '' }))
}

function printSummary(
  ended: Import,
  failed: readonly { title: string | null; reason: string }[],
  { stdout }: CommandInput,
): void {
  for (const { title, reason } of failed.slice(0, MAX_NAMED))
    stdout.write(`failed  ${shorten(title ?? '(no title)', COLUMNS)}  ${reason}\n`)
  const unnamed = ended.counts.failed - Math.min(failed.length, MAX_NAMED)
  if (unnamed > 0) stdout.write(`… and ${unnamed} more\n`)
  stdout.write(`${shorten(ended.filename, COLUMNS)}: ${describeCounts(ended)}\n`)
}
