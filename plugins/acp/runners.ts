import { AppError, type TypeOf } from '#kernel'
import type { Cradle } from './manifest.ts'
import { assertHarmless, type Env, maskEnv, unmaskEnv } from './runner-env.ts'
import { RUNNER_DEFAULTS, RUNNER_NAME, type runnerBody, type runnerRow } from './schemas.ts'
import type { OpenedRunner, RunnerCaller, RunnerDocument, RunnerProgram, RunnerSettings } from './types.ts'

type RunnerBody = TypeOf<typeof runnerBody>
type RunnerRow = TypeOf<typeof runnerRow>

/** A runner as it is to be stored: what the account sets, and its program where that changes. */
interface Change {
  name: string
  settings: RunnerSettings
  env: Env
  /** Null where the program is again the one that is built in. */
  program?: RunnerProgram | null
}

/** The runners as each account has them. Callers who may not know of something are told NOT_FOUND. */
export interface Runners {
  list(user_id: string): Promise<Record<string, RunnerRow>>
  show(user_id: string, name: string): Promise<RunnerRow>
  /** Throws VALIDATION_FAILED; ACP_COMMAND_FORBIDDEN where somebody else than an administrator names another program. */
  set(caller: RunnerCaller, name: string, body: RunnerBody): Promise<RunnerRow>
  /** The same for several; those that are not named are again as if the account had set nothing. */
  replace(caller: RunnerCaller, bodies: Record<string, RunnerBody>): Promise<Record<string, RunnerRow>>
  /** Removes a definition with everybody's settings of it; ACP_RUNNER_BUILT_IN, FORBIDDEN. */
  remove(caller: RunnerCaller, name: string): Promise<void>
  /** One with all that starting it takes; undefined where there is none or the account has not enabled it. */
  open(user_id: string, name: string): Promise<OpenedRunner | undefined>
  /** The names of those that an account has enabled. */
  listEnabled(user_id: string): Promise<string[]>
  /** Removes what an account that goes has set. */
  forgetUser(user_id: string): Promise<void>
}

const purposeOf = (id: string) => `acp_runner:${id}`
const idOf = (user_id: string, name: string) => `${user_id}:${name}`

const isSame = (one: RunnerProgram | undefined, other: RunnerProgram) =>
  one?.command === other.command && JSON.stringify(one.args) === JSON.stringify(other.args)

/** Makes the service. */
export function createRunners({
  acpDefinitions: definitions,
  collections: { acp_runners },
  clock,
  secrets,
  users,
}: Pick<Cradle, 'acpDefinitions' | 'collections' | 'clock' | 'secrets' | 'users'>): Runners {
  const envOf = (stored: RunnerDocument | null | undefined): Env =>
    stored?.env ? JSON.parse(secrets.open(stored.env, purposeOf(stored._id))) : {}
  const settingsOf = (stored: RunnerDocument | null | undefined): RunnerSettings => {
    const { enabled, trusted, tool_parse_mode, stdio_buffer_limit_bytes } = stored ?? RUNNER_DEFAULTS
    return { enabled, trusted, tool_parse_mode, stdio_buffer_limit_bytes }
  }
  const storedOf = async (user_id: string) => {
    const found = await acp_runners.find({ user_id }).toArray()
    return new Map(found.map((runner) => [runner.name, runner]))
  }
  const rowOf = (program: RunnerProgram, stored: RunnerDocument | null | undefined): RunnerRow => ({
    ...program,
    ...settingsOf(stored),
    env: maskEnv(envOf(stored)),
  })

  const list: Runners['list'] = async (user_id) => {
    const [programs, stored] = await Promise.all([definitions.list(), storedOf(user_id)])
    return Object.fromEntries(
      [...programs].map(([name, program]) => [name, rowOf(program, stored.get(name))]),
    )
  }

  const find = async (name: string): Promise<RunnerProgram> => {
    const program = await definitions.find(name)
    if (!program) throw new AppError('NOT_FOUND')
    return program
  }

  /** The program that a caller names; undefined where it is the one that there is, null for the one that is built in. */
  const programIn = (
    { role }: RunnerCaller,
    { name, path, body, present }: ChangeOf,
  ): RunnerProgram | null | undefined => {
    if (!RUNNER_NAME.test(name)) throw new AppError('NOT_FOUND')
    const { command = present?.command ?? '', args } = body
    const kept = command === present?.command ? present.args : []
    const program = { command, args: args ?? kept }
    if (present && isSame(present, program)) return undefined
    if (role !== 'admin') {
      if (!present) throw new AppError('NOT_FOUND')
      const field = command === present.command ? 'args' : 'command'
      throw new AppError('ACP_COMMAND_FORBIDDEN', { name, field })
    }
    if (command !== '') return program
    if (!present && body.command === undefined) throw new AppError('NOT_FOUND')
    if (definitions.isBuiltIn(name)) return null
    const message = 'must name the program of a runner that is not built in'
    throw new AppError('VALIDATION_FAILED', {
      issues: [{ path: `${path}/command`, rule: 'command', message }],
    })
  }

  const changeOf = (caller: RunnerCaller, order: ChangeOf): Change => {
    const { name, path, body, stored } = order
    const program = programIn(caller, order)
    const before = envOf(stored)
    const env = unmaskEnv(body.env, before, `${path}/env`)
    if (caller.role !== 'admin') assertHarmless(env, before, `${path}/env`)
    const { enabled, trusted, tool_parse_mode, stdio_buffer_limit_bytes } = body
    return { name, settings: { enabled, trusted, tool_parse_mode, stdio_buffer_limit_bytes }, env, program }
  }

  const store = async ({ id: user_id }: RunnerCaller, changes: readonly Change[]): Promise<void> => {
    for (const { name, program } of changes) {
      if (program) await definitions.define(name, program)
      else if (program === null) await definitions.remove(name)
    }
    const updated_at = clock.seconds()
    const writes = changes.map(({ name, settings, env }) => {
      const _id = idOf(user_id, name)
      const sealed = Object.keys(env).length > 0 ? secrets.seal(JSON.stringify(env), purposeOf(_id)) : null
      const replacement = { user_id, name, ...settings, env: sealed, updated_at }
      return { replaceOne: { filter: { _id, user_id }, replacement, upsert: true } }
    })
    if (writes.length > 0) await acp_runners.bulkWrite(writes)
    // A deletion of the account that was quicker has already removed what it knew of.
    if (!(await users.find(user_id))) {
      await acp_runners.deleteMany({ user_id })
      throw new AppError('AUTH_FAILED')
    }
  }

  const show: Runners['show'] = async (user_id, name) => {
    const [program, stored] = await Promise.all([
      find(name),
      acp_runners.findOne({ _id: idOf(user_id, name), user_id }),
    ])
    return rowOf(program, stored)
  }

  return {
    list,
    show,

    async set(caller, name, body) {
      const [present, stored] = await Promise.all([
        definitions.find(name),
        acp_runners.findOne({ _id: idOf(caller.id, name), user_id: caller.id }),
      ])
      const change = changeOf(caller, { name, path: '', body, present, stored })
      await store(caller, [change])
      return show(caller.id, name)
    },

    async replace(caller, bodies) {
      const [programs, stored] = await Promise.all([definitions.list(), storedOf(caller.id)])
      const changes = Object.entries(bodies).map(([name, body]) =>
        changeOf(caller, {
          name,
          path: `/runners/${name}`,
          body,
          present: programs.get(name),
          stored: stored.get(name),
        }),
      )
      await store(caller, changes)
      await acp_runners.deleteMany({ user_id: caller.id, name: { $nin: Object.keys(bodies) } })
      return list(caller.id)
    },

    async remove({ role }, name) {
      await find(name)
      if (definitions.isBuiltIn(name)) throw new AppError('ACP_RUNNER_BUILT_IN', { name })
      if (role !== 'admin') throw new AppError('FORBIDDEN')
      await definitions.remove(name)
      await acp_runners.deleteMany({ name })
    },

    async open(user_id, name) {
      const [program, stored] = await Promise.all([
        definitions.find(name),
        acp_runners.findOne({ _id: idOf(user_id, name), user_id }),
      ])
      if (!program || !stored?.enabled) return undefined
      return { name, ...program, ...settingsOf(stored), env: envOf(stored) }
    },

    async listEnabled(user_id) {
      const [programs, enabled] = await Promise.all([
        definitions.list(),
        acp_runners.find({ user_id, enabled: true }).sort({ name: 1 }).toArray(),
      ])
      return enabled.map(({ name }) => name).filter((name) => programs.has(name))
    },

    async forgetUser(user_id) {
      await acp_runners.deleteMany({ user_id })
    },
  }
}

/** A runner that was sent, and what there is of it. */
interface ChangeOf {
  name: string
  /** Where it stands in the body. */
  path: string
  body: RunnerBody
  present: RunnerProgram | undefined
  stored: RunnerDocument | null | undefined
}
