import type { components } from '#client'
import { type Command, type CommandInput, JSON_OPTION } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import { shorten } from './printable.ts'
import { readAnswer } from './service.ts'
import { findNamed, printList, type SignedIn, signedInCommand } from './signed-in.ts'

type Row = components['schemas']['ListedSchedule']
type Rule = components['schemas']['TimeRule']

/** The most schedules that are listed: more than an account may have. */
const MAX_LISTED = 200
const MAX_NAME = 60
/** The width of a text of a person in a line of output. */
const NAME_COLUMNS = 40

const JOB = { name: 'job', summary: 'ID or name of the schedule', required: true } as const

const list = signedInCommand(
  { name: 'schedule list', summary: 'List your schedules with an agent', options: [JSON_OPTION] },
  async (input, at) =>
    printList(input, await readRows(at), {
      noun: 'schedule',
      head: ['ID', 'NAME', 'TIMES', 'NEXT', 'LAST RUN'],
      toCells: (row) => {
        return [row.id, shorten(row.name, NAME_COLUMNS), describeRule(row.schedule), ...describeState(row)]
      },
    }),
)

const add = signedInCommand(
  {
    name: 'schedule add',
    summary: 'Have an agent do a task at set times',
    arguments: [{ name: 'prompt', summary: 'the message sent to the agent on each run', required: true }],
    options: [
      { flags: '--name <name>', summary: 'a short name (default: the beginning of the prompt)' },
      { flags: '--cron <expression>', summary: "five fields, such as '30 8 * * 1-5'" },
      { flags: '--timezone <name>', summary: 'IANA time zone for --cron (default: that of this machine)' },
      { flags: '--every <seconds>', summary: 'an interval in seconds, at least 60' },
      { flags: '--at <time>', summary: 'once, at a time such as 2027-01-31T18:00' },
      { flags: '--same-thread', summary: 'continue in one thread instead of a new one for each run' },
    ],
  },
  async ({ args, options, stdout }, { service, url, agent_id }) => {
    const prompt = args[0]!
    const schedule = readRule(options)
    const name = typeof options.name === 'string' ? options.name : prompt.trim().slice(0, MAX_NAME)
    const params = { path: { id: agent_id } }
    const thread = options.sameThread ? ('same' as const) : ('new' as const)
    const body = { name, prompt, schedule, thread, enabled: true }
    const { times } = await readAnswer(
      service.POST('/agents/{id}/cron/preview', { params, body: { schedule } }),
      url,
    )
    const created = await readAnswer(service.POST('/agents/{id}/cron', { params, body }), url)
    stdout.write(`${created.id}\n${times.map((time) => `  ${formatTime(time)}\n`).join('')}`)
  },
)

const run = signedInCommand(
  { name: 'schedule run', summary: 'Run a schedule now', arguments: [JOB] },
  async ({ args, stdout }, at) => {
    const { id: job_id } = await findJob(args[0]!, at)
    const params = { path: { id: at.agent_id, job_id } }
    const { thread_id } = await readAnswer(
      at.service.POST('/agents/{id}/cron/{job_id}/run-now', { params }),
      at.url,
    )
    stdout.write(`Running in thread ${thread_id}\n`)
  },
)

const pause = signedInCommand(
  { name: 'schedule pause', summary: 'Pause a schedule', arguments: [JOB] },
  async ({ args, stdout }, at) => {
    const { name } = await enable(args[0]!, false, at)
    stdout.write(`"${shorten(name, NAME_COLUMNS)}" is paused; \`svc schedule resume\` resumes it.\n`)
  },
)

const resume = signedInCommand(
  { name: 'schedule resume', summary: 'Resume a schedule', arguments: [JOB] },
  async ({ args, stdout }, at) => {
    const { name, next_run_at } = await enable(args[0]!, true, at)
    stdout.write(`"${shorten(name, NAME_COLUMNS)}" runs next at ${formatTime(next_run_at)}\n`)
  },
)

/** `svc schedule …`: schedules over the public API. */
export const scheduleCommands: Command<Cradle>[] = [list, add, run, pause, resume]

const readRows = ({ service, url, agent_id }: SignedIn): Promise<Row[]> =>
  readAnswer(
    service.GET('/agents/{id}/cron', { params: { path: { id: agent_id }, query: { limit: MAX_LISTED } } }),
    url,
  )

const findJob = async (nameOrId: string, at: SignedIn): Promise<Row> =>
  findNamed(await readRows(at), nameOrId, { noun: 'schedule', advice: '`svc schedule list` shows yours.' })

async function enable(nameOrId: string, enabled: boolean, at: SignedIn) {
  const { id: job_id } = await findJob(nameOrId, at)
  const params = { path: { id: at.agent_id, job_id } }
  return readAnswer(at.service.PATCH('/agents/{id}/cron/{job_id}', { params, body: { enabled } }), at.url)
}

/** Returns the rule that the options describe; throws a sentence unless they describe exactly one. */
function readRule({ cron, timezone, every, at }: CommandInput['options']): Rule {
  const rules: Rule[] = []
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (typeof cron === 'string') rules.push({ cron, timezone: typeof timezone === 'string' ? timezone : here })
  if (typeof every === 'string') rules.push({ every_seconds: readSeconds(every) })
  if (typeof at === 'string') rules.push({ at: readTime(at) })
  if (rules.length !== 1) throw new Error('Use one of --cron, --every and --at.')
  return rules[0]!
}

function readSeconds(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`"${text}" is not a number of seconds.`)
  return Number(text)
}

function readTime(text: string): number {
  const time = Date.parse(text)
  if (Number.isNaN(time))
    throw new Error(`"${text}" is not a time. Expected something like 2027-01-31T18:00.`)
  return Math.floor(time / 1000)
}

function describeRule(rule: Rule): string {
  if ('cron' in rule) return `${shorten(rule.cron, NAME_COLUMNS)} (${shorten(rule.timezone, NAME_COLUMNS)})`
  if ('every_seconds' in rule) return `every ${rule.every_seconds} s`
  return `at ${formatTime(rule.at)}`
}

const describeState = ({ enabled, next_run_at, paused_reason, last_run_at, last_status }: Row) => [
  enabled ? formatTime(next_run_at) : (paused_reason ?? 'disabled'),
  last_run_at === null ? '-' : `${formatTime(last_run_at)} ${last_status}`,
]

/** Returns a time in Unix seconds as this machine shows it. */
const formatTime = (seconds: number | null) =>
  seconds === null ? '-' : new Date(seconds * 1000).toLocaleString('sv-SE')
