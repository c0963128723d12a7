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
export type Definitions = ReturnType<typeof createDefinitions>

/** Creates the store of definitions. */
export function createDefinitions({
  collections: { acp_definitions },
  clock,
}: Pick<Cradle, 'collections' | 'clock'>) {
  return {
    isBuiltIn: (name: string): boolean => BUILT_IN.has(name),
    /**
     * Returns a program of a runner, or null if it is the built-in one, which may change with the version of the
     * server.
     */
    identify: (name: string, { command, args }: RunnerProgram): RunnerProgram | null =>
      isDeepStrictEqual(BUILT_IN.get(name), { command, args }) ? null : { command, args },

    /** Returns the programs by name, the built-in ones first. */
    async list(): Promise<Map<string, RunnerProgram>> {
      const defined = await acp_definitions.find().sort({ _id: 1 }).toArray()
      return new Map([
        ...BUILT_IN,
        ...defined.map(({ _id, command, args }) => [_id, { command, args }] as const),
      ])
    },

    async find(name: string): Promise<RunnerProgram | undefined> {
      const defined = await acp_definitions.findOne({ _id: name })
      return defined ? { command: defined.command, args: defined.args } : BUILT_IN.get(name)
    },

    /** Defines a runner, or changes its program. */
    async define(name: string, { command, args }: RunnerProgram): Promise<void> {
      const definition = { command, args, updated_at: clock.seconds() }
      await acp_definitions.replaceOne({ _id: name }, definition, { upsert: true })
    },

    /** Removes a definition; a built-in runner gets its original program back. */
    async remove(name: string): Promise<void> {
      await acp_definitions.deleteOne({ _id: name })
    },
  }
}
