import { objectOf, rowOf } from '../schema.ts'
import { createFormCheck, filledText, text } from './form.ts'

/** An argument of a command. */
export interface CommandArgument {
  readonly name: string
  readonly summary: string
  readonly required?: boolean
}

/** The values of arguments, in their order; those that are not required may be missing. */
export type ArgumentValues<Arguments extends readonly CommandArgument[]> = {
  [Index in keyof Arguments]: Arguments[Index] extends { readonly required: true }
    ? string
    : string | undefined
}

/** The arguments and surroundings of one call of a command. */
export interface CommandInput<Arguments extends readonly CommandArgument[] = readonly CommandArgument[]> {
  args: ArgumentValues<Arguments>
  options: Record<string, string | boolean | undefined>
  home: string
  env: NodeJS.ProcessEnv
  stdin: NodeJS.ReadStream
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
}

/** A command of `svc`. Its name may have up to three words, e.g. `group member add`. */
export interface Command<
  Cradle = never,
  Arguments extends readonly CommandArgument[] = readonly CommandArgument[],
> {
  name: string
  summary: string
  /** The last one takes everything that follows if its name ends in `...`. */
  arguments?: Arguments
  /** Flags in commander's syntax, e.g. `--url <url>`. */
  options?: { flags: string; summary: string }[]
  /** The action of the audit row, for a command that changes something; its target is the first argument. */
  audit?: string
  /** True by default: it works on the database. Otherwise it runs without one, and its cradle has no collections. */
  database?: boolean
  /** Decides by the input whether it works on the database, in place of `database`. */
  usesDatabase?: (input: CommandInput) => boolean
  /** True for a command that runs even if the configuration cannot be read: without a cradle, of a built-in plugin. */
  standalone?: true
  /** Returns the exit code; undefined counts as 0. */
  run: (input: CommandInput<Arguments>, cradle: Cradle) => Promise<number | undefined> | number | undefined
}

/** Checks the form of a command that a plugin declares. */
export const assertCommand = createFormCheck<Command>(
  objectOf(
    {
      name: { type: 'string', pattern: '^[a-z][a-z0-9-]*( [a-z][a-z0-9-]*){0,2}$' },
      summary: filledText,
      arguments: {
        type: 'array',
        items: objectOf({ name: text, summary: text, required: { type: 'boolean' } }, ['name', 'summary']),
      },
      options: {
        type: 'array',
        items: rowOf({ flags: text, summary: text }),
      },
      audit: filledText,
      database: { type: 'boolean' },
      usesDatabase: true,
      standalone: { const: true },
      run: true,
    },
    ['name', 'summary', 'run'],
  ),
  ['run', 'usesDatabase'],
)
