import { isDeepStrictEqual } from 'node:util'
import type { Cradle } from './manifest.ts'
import type { RunnerProgram } from './types.ts'

/** The built-in runners, with the commands that their makers document. */
const BUILT_IN: ReadonlyMap<string, RunnerProgram> = new Map([
  ['opencode', { command: 'opencode', args: ['acp'] }],
  ['claude_code', { command: 'npx', args: ['-y', '@zed-industries/claude-agent-acp'] }],
  ['codex', { command: 'npx', args: ['-y', '@zed-industries/codex-acp'] }],
])

/** The store of all runners and their programs. */
export interface Definitions {
  isBuiltIn(name: string): boolean
  /** Returns a program of a runner, or null if it is the built-in one, which may change with the version of the server. */
  identify(name: string, program: RunnerProgram): RunnerProgram | null
  /** Returns the programs by name, the built-in ones first. */
  list(): Promise<Map<string, RunnerProgram>>
  find(name: string): Promise<RunnerProgram | undefined>
  /** Defines a runner, or changes its program. */
  define(name: string, program: RunnerProgram): Promise<void>
  /** Removes a definition; a built-in runner gets its original program back. */
  remove(name: string): Promise<void>
}

/** Creates the store of definitions. */
export function createDefinitions({
  collections: { acp_definitions },
  clock,
}: Pick<Cradle, 'collections' | 'clock'>): Definitions {
  return {
    isBuiltIn: (name) => BUILT_IN.has(name),
    identify: (name, { command, args }) =>
      isDeepStrictEqual(BUILT_IN.get(name), { command, args }) ? null : { command, args },

    async list() {
      const defined = await acp_definitions.find().sort({ _id: 1 }).toArray()
      return new Map([
        ...BUILT_IN,
        ...defined.map(({ _id, command, args }) => [_id, { command, args }] as const),
      ])
    },

    async find(name) {
      const defined = await acp_definitions.findOne({ _id: name })
      return defined ? { command: defined.command, args: defined.args } : BUILT_IN.get(name)
    },

    async define(name, { command, args }) {
      const definition = { command, args, updated_at: clock.seconds() }
      await acp_definitions.replaceOne({ _id: name }, definition, { upsert: true })
    },

    async remove(name) {
      await acp_definitions.deleteOne({ _id: name })
    },
  }
}
