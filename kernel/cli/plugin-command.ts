import type { Command, CommandInput } from '../contract/command.ts'
import type { AuditRecord } from '../contract/extension-points.ts'
import { isUnavailable } from '../database/driver-errors.ts'
import { AppError, ConfigError } from '../errors.ts'
import { replyTo } from '../http/error-reply.ts'
import type { Blueprint } from '../loading/blueprint.ts'
import { chooseLocale } from '../locale.ts'
import { createLogger } from '../log.ts'
import type { Issue } from '../schema.ts'
import { openRuntime, type Runtime } from '../server/runtime.ts'

/** Runs a command of the plugin `owner` and returns the exit code; an expected failure is thrown as one sentence. */
export async function runPluginCommand(
  blueprint: Blueprint,
  owner: string,
  command: Command,
  input: CommandInput,
): Promise<number> {
  try {
    return await runOf(blueprint, owner, command, input)
  } catch (error) {
    if (!(error instanceof AppError || isUnavailable(error))) throw error
    const missing = explainMissing(error, blueprint, command, input)
    if (missing !== undefined) throw new ConfigError(missing)
    const { LC_ALL, LANG } = input.env
    const locale = chooseLocale((LC_ALL || LANG)?.replace('_', '-'))
    const { body } = replyTo(error, { table: blueprint.errors, locale, request_id: '' })
    const issues = (body.details.issues ?? []) as Issue[]
    const reasons = issues.map(({ path, message }) => ` ${path} ${message}.`).join('')
    throw new ConfigError(`${body.message}${reasons} (${body.code})`)
  }
}

/** Says which argument names nothing, and the command that lists what exists; undefined for any other error. */
function explainMissing(
  error: unknown,
  { plugins }: Blueprint,
  { name, arguments: [argument] = [] }: Command,
  { args: [value] }: CommandInput,
): string | undefined {
  if (!(error instanceof AppError) || error.code !== 'NOT_FOUND' || !argument || value === undefined)
    return undefined
  const lister = `${name.split(' ')[0]} list`
  const canList = plugins.some(({ declarations }) =>
    declarations.commands.some((other) => other.name === lister),
  )
  return `The ${argument.name} "${value}" does not exist.${canList ? ` "svc ${lister}" shows those that do.` : ''}`
}

async function runOf(
  blueprint: Blueprint,
  owner: string,
  command: Command,
  input: CommandInput,
): Promise<number> {
  const database = command.usesDatabase?.(input) ?? command.database ?? true
  const level = input.env.SVC_LOG_LEVEL || 'warn'
  const runtime = await openRuntime({ blueprint, log: createLogger({ level }), database })
  try {
    return await perform(runtime, owner, command, input).catch((error: unknown) => {
      throw runtime.database?.explainFailure(error) ?? error
    })
  } finally {
    await runtime.stop()
  }
}

async function perform(
  runtime: Runtime,
  owner: string,
  command: Command,
  input: CommandInput,
): Promise<number> {
  if (runtime.database) await runtime.prepare()
  let exitCode = 1
  let isRefused = false
  try {
    exitCode = (await command.run(input, runtime.cradleOf(owner))) ?? 0
  } catch (error) {
    isRefused = isRefusal(error, runtime)
    throw error
  } finally {
    // A refused command has changed nothing.
    if (command.audit && !isRefused)
      await runtime.extensions['kernel.audit'].ask(
        recordOf(command.audit, input, runtime.clock.seconds(), exitCode),
      )
  }
  return exitCode
}

/** True if an error says that the input was wrong, not that something failed. */
const isRefusal = (error: unknown, { blueprint: { errors: table } }: Runtime) =>
  error instanceof AppError && replyTo(error, { table, locale: 'en', request_id: '' }).status < 500

function recordOf(action: string, { args, env }: CommandInput, ts: number, status: number): AuditRecord {
  const user = env.SUDO_USER ?? env.USER ?? process.getuid?.()
  const target = args.join('/') || null
  return { ts, actor: `os:${user}`, action, target, payload: undefined, status, ip: null, request_id: null }
}
