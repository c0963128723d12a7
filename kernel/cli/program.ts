import { inspect } from 'node:util'
import { CommanderError, Command as Program } from 'commander'
import { DatabaseFailure } from '#engine'
import type { Command, CommandInput } from '../contract/command.ts'
import { ConfigError } from '../errors.ts'
import { homeOf, homePath, listStandaloneCommands, readBlueprint } from '../loading/blueprint.ts'
import { RELEASE } from '../loading/package.ts'
import { explainUnwritable } from '../server/storage.ts'
import { serveCommand } from './serve-command.ts'

/** The environment and the streams of a run of `svc`. */
type Surroundings = Pick<CommandInput, 'env' | 'stdin' | 'stdout' | 'stderr'>

/** Runs `svc` with these arguments and returns the exit code; errors are written to `stderr`. */
export async function runProgram(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    return await run(argv, surroundings)
  } catch (error) {
    const { env, stderr } = surroundings
    const isSentence = error instanceof ConfigError || error instanceof DatabaseFailure
    const sentence = isSentence ? error.message : explainUnwritable(error, homePath(env))
    const plain = sentence !== undefined && env.SVC_LOG_LEVEL !== 'debug'
    stderr.write(`svc: ${plain ? sentence : inspect(error)}\n`)
    return 1
  }
}

async function run(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const { env, stdout, stderr } = surroundings
  const home = homeOf(env)
  const program = new Program('svc').description('Agent Platform Service').version(RELEASE).exitOverride()
  program.configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
  program.showHelpAfterError('(svc help shows all commands)')
  let exitCode = 0
  const inputFor = (args: (string | undefined)[], options: CommandInput['options']): CommandInput => ({
    args,
    options,
    home,
    ...surroundings,
  })
  define(program, serveCommand, async (args, options) => {
    exitCode = await serveCommand.run(inputFor(args, options))
  })

  const named = argv.find((argument) => !argument.startsWith('-'))
  // `svc serve` reads the blueprint itself, while the engine opens its files.
  if (named !== serveCommand.name) {
    const runAlone = (command: Command) =>
      define(program, command, async (args, options) => {
        exitCode = (await command.run(inputFor(args, options), undefined as never)) ?? 0
      })
    const blueprint = await readBlueprint({ home, env }).catch(async (error: unknown) => {
      const command = (await listStandaloneCommands(home)).find(({ name }) => name === named)
      if (!command) throw error
      runAlone(command)
    })
    for (const { plugin, declarations } of blueprint?.plugins ?? [])
      for (const command of declarations.commands)
        if (command.standalone) runAlone(command)
        else
          define(program, command, async (args, options) => {
            const { runPluginCommand } = await import('./plugin-command.ts')
            exitCode = await runPluginCommand(blueprint!, plugin.name, command, inputFor(args, options))
          })
  }
  try {
    await program.parseAsync(argv, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode
    throw error
  }
}

/** Adds a command to the program, below its groups where the name has several words. */
function define(
  program: Program,
  command: Pick<Command, 'name' | 'summary' | 'arguments' | 'options'>,
  action: (args: (string | undefined)[], options: CommandInput['options']) => Promise<void>,
): void {
  const words = command.name.split(' ')
  const leaf = words.pop()!
  const parent = words.reduce((group, word, index) => {
    const existing = group.commands.find((child) => child.name() === word)
    if (existing) return existing
    const path = words.slice(0, index + 1).join(' ')
    return group.command(word).showHelpAfterError(`(svc ${path} --help shows its commands)`)
  }, program)
  const defined = parent
    .command(leaf)
    .description(command.summary)
    .showHelpAfterError(`(svc ${command.name} --help explains it)`)
  // A group is described by what it offers.
  if (words.length > 0) parent.description(parent.commands.map((child) => child.name()).join(', '))
  for (const { name, summary, required } of command.arguments ?? [])
    defined.argument(required ? `<${name}>` : `[${name}]`, summary)
  for (const { flags, summary } of command.options ?? []) defined.option(flags, summary)
  defined.action(async (...values) => {
    const self = values.pop() as Program
    await action(self.processedArgs.flat(), self.opts())
  })
}
