import { isDeepStrictEqual } from 'node:util'
import { AppError, type TypeOf } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import { assertHarmless, type Env, maskEnv, unmaskEnv } from './runner-env.ts'
import { RUNNER_DEFAULTS, RUNNER_NAME, type runnerBody, type runnerRow } from './schemas.ts'
import type { OpenedRunner, RunnerCaller, RunnerDocument, RunnerProgram, RunnerSettings } from './types.ts'

type RunnerBody = TypeOf<typeof runnerBody>
type RunnerRow = TypeOf<typeof runnerRow>

/** A change of a runner: the account's settings, and its program if that changes. */
interface Change {
  name: string
  settings: RunnerSettings
  env: Env
  /** Null if the runner gets its built-in program back. */
  program?: RunnerProgram | null
  env_program: RunnerProgram | null
}

/** The runners with each account's settings. Callers who may not know of a runner get NOT_FOUND. */
export type Runners = ReturnType<typeof createRunners>

const toPurpose = (id: string) => `acp_runner:${id}`
const toId = (user_id: string, name: string) => `${user_id}:${name}`

const isSame = (one: RunnerProgram | undefined, other: RunnerProgram) =>
  one?.command === other.command && JSON.stringify(one.args) === JSON.stringify(other.args)

const pickSettings = ({
  enabled,
  trusted,
  tool_parse_mode,
  stdio_buffer_limit_bytes,
}: RunnerSettings): RunnerSettings => ({ enabled, trusted, tool_parse_mode, stdio_buffer_limit_bytes })

/** Creates the service. */
export function createRunners({
  acpDefinitions: definitions,
  collections: { acp_runners },
  clock,
  secrets,
  users,
}: Pick<Cradle, 'acpDefinitions' | 'collections' | 'clock' | 'secrets' | 'users'>) {
  /** Returns the environment that was entered for a program: an administrator may have replaced the program since. */
  const openEnv = (program: RunnerProgram | null, stored: RunnerDocument | null | undefined): Env =>
    stored?.env &&
    isDeepStrictEqual(stored.env_program, program && definitions.identify(stored.name, program))
      ? JSON.parse(secrets.open(stored.env, toPurpose(stored._id)))
      : {}
  const findStored = async (user_id: string) => {
    const runners = await acp_runners.find({ user_id }).toArray()
    return new Map(runners.map((runner) => [runner.name, runner]))
  }
  const toRow = (program: RunnerProgram, stored: RunnerDocument | null | undefined): RunnerRow => ({
    ...program,
    ...pickSettings(stored ?? RUNNER_DEFAULTS),
    env: maskEnv(openEnv(program, stored)),
  })

  const list = async (user_id: string): Promise<Record<string, RunnerRow>> => {
    const [programs, stored] = await Promise.all([definitions.list(), findStored(user_id)])
    return Object.fromEntries(
      [...programs].map(([name, program]) => [name, toRow(program, stored.get(name))]),
    )
  }

  /** Reads the program that a caller sets; undefined if it stays as it is, null for the built-in program. */
  const readProgram = (
    { role }: RunnerCaller,
    { name, path, body, present }: ChangeRequest,
  ): RunnerProgram | null | undefined => {
    if (!RUNNER_NAME.test(name)) throw new AppError('NOT_FOUND')
    const { command = present?.command ?? '', args } = body
    const keptArgs = command === present?.command ? present.args : []
    const program = { command, args: args ?? keptArgs }
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

  const toChange = (caller: RunnerCaller, request: ChangeRequest): Change => {
    const { name, path, body, present, stored } = request
    const program = readProgram(caller, request)
    const newProgram = program === undefined ? present! : program
    const storedEnv = openEnv(newProgram, stored)
    const env = unmaskEnv(body.env, storedEnv, `${path}/env`)
    if (caller.role !== 'admin') assertHarmless(env, storedEnv, `${path}/env`)
    return {
      name,
      settings: pickSettings(body),
      env,
      program,
      env_program: newProgram && definitions.identify(name, newProgram),
    }
  }

  const store = async ({ id: user_id }: RunnerCaller, changes: readonly Change[]): Promise<void> => {
    for (const { name, program } of changes) {
      if (program) await definitions.define(name, program)
      else if (program === null) await definitions.remove(name)
    }
    const updated_at = clock.seconds()
    const writes = changes.map(({ name, settings, env, env_program }) => {
      const _id = toId(user_id, name)
      const sealed = Object.keys(env).length > 0 ? secrets.seal(JSON.stringify(env), toPurpose(_id)) : null
      const replacement = { user_id, name, ...settings, env: sealed, env_program, updated_at }
      return { replaceOne: { filter: { _id, user_id }, replacement, upsert: true } }
    })
    if (writes.length > 0) await acp_runners.bulkWrite(writes)
    // A concurrent deletion of the account did not see these settings.
    if (!(await users.find(user_id))) {
      await acp_runners.deleteMany({ user_id })
      throw new AppError('AUTH_FAILED')
    }
  }

  /** Returns the program of a runner and an account's settings of it. */
  const read = (user_id: string, name: string) =>
    Promise.all([definitions.find(name), acp_runners.findOne({ _id: toId(user_id, name), user_id })])

  const show = async (user_id: string, name: string): Promise<RunnerRow> => {
    const [program, stored] = await read(user_id, name)
    if (!program) throw new AppError('NOT_FOUND')
    return toRow(program, stored)
  }

  return {
    list,
    show,

    /** Throws VALIDATION_FAILED; ACP_COMMAND_FORBIDDEN if a caller who is not an administrator changes the program. */
    async set(caller: RunnerCaller, name: string, body: RunnerBody): Promise<RunnerRow> {
      const [present, stored] = await read(caller.id, name)
      await store(caller, [toChange(caller, { name, path: '', body, present, stored })])
      return show(caller.id, name)
    },

    /** Sets several runners; all others get the default settings. */
    async replace(
      caller: RunnerCaller,
      bodies: Record<string, RunnerBody>,
    ): Promise<Record<string, RunnerRow>> {
      const [programs, stored] = await Promise.all([definitions.list(), findStored(caller.id)])
      const changes = Object.entries(bodies).map(([name, body]) =>
        toChange(caller, {
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

    /** Removes a definition with the settings of all accounts; throws ACP_RUNNER_BUILT_IN or FORBIDDEN. */
    async remove({ role }: RunnerCaller, name: string): Promise<void> {
      if (!(await definitions.find(name))) throw new AppError('NOT_FOUND')
      if (definitions.isBuiltIn(name)) throw new AppError('ACP_RUNNER_BUILT_IN', { name })
      if (role !== 'admin') throw new AppError('FORBIDDEN')
      await definitions.remove(name)
      await acp_runners.deleteMany({ name })
    },

    /** Returns a runner with everything needed to start it; undefined if it does not exist or is not enabled. */
    async open(user_id: string, name: string): Promise<OpenedRunner | undefined> {
      const [program, stored] = await read(user_id, name)
      if (!program || !stored?.enabled) return undefined
      return { name, ...program, ...pickSettings(stored ?? RUNNER_DEFAULTS), env: openEnv(program, stored) }
    },

    /** Returns the names of the runners that an account has enabled. */
    async listEnabled(user_id: string): Promise<string[]> {
      const [programs, enabled] = await Promise.all([
        definitions.list(),
        acp_runners.find({ user_id, enabled: true }).sort({ name: 1 }).toArray(),
      ])
      return enabled.map(({ name }) => name).filter((name) => programs.has(name))
    },

    /** Removes the settings of an account that is being deleted. */
    async forgetUser(user_id: string): Promise<void> {
      await acp_runners.deleteMany({ user_id })
    },
  }
}

/** The requested settings of a runner, with its current state. */
interface ChangeRequest {
  name: string
  /** The place of the runner in the body, for errors. */
  path: string
  body: RunnerBody
  present: RunnerProgram | undefined
  stored: RunnerDocument | null | undefined
}
