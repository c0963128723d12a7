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
    const { LC_ALL, LANG } = input.env
    const locale = chooseLocale((LC_ALL || LANG)?.replace('_', '-'))
    const { body } = replyTo(error, { table: blueprint.errors, locale, request_id: '' })
    const issues = (body.details.issues ?? []) as Issue[]
    const reasons = issues.map(({ path, message }) => ` ${path} ${message}.`).join('')
    throw new ConfigError(`${body.message}${reasons} (${body.code})`)
  }
}

async function runOf(
  blueprint: Blueprint,
  owner: string,
  command: Command,
  input: CommandInput,
): Promise<number> {
  const database = command.database ?? true
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
  try {
    exitCode = (await command.run(input, runtime.cradleOf(owner))) ?? 0
  } finally {
    if (command.audit)
      await runtime.extensions['kernel.audit'].ask(
        recordOf(command.audit, input, runtime.clock.seconds(), exitCode),
      )
  }
  return exitCode
}

function recordOf(action: string, { args, env }: CommandInput, ts: number, status: number): AuditRecord {
  const user = [env.SUDO_USER, env.USER, process.getuid?.()].find((name) => name !== undefined)
  const target = args.join('/') || null
  return { ts, actor: `os:${user}`, action, target, payload: undefined, status, ip: null, request_id: null }
}
