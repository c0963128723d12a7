import type { Cradle } from './manifest.ts'
import type { RunnerProgram } from './types.ts'

/** The runners that are always there, with the commands that their makers name. */
const BUILT_IN: ReadonlyMap<string, RunnerProgram> = new Map([
  ['opencode', { command: 'opencode', args: ['acp'] }],
  ['claude_code', { command: 'npx', args: ['-y', '@zed-industries/claude-agent-acp'] }],
  ['codex', { command: 'npx', args: ['-y', '@zed-industries/codex-acp'] }],
])

/** Which runners there are, and which programs they are. */
export interface Definitions {
  isBuiltIn(name: string): boolean
  /** By name, those that are built in first. */
  list(): Promise<Map<string, RunnerProgram>>
  find(name: string): Promise<RunnerProgram | undefined>
  /** Defines a runner, or says which program it is from now on. */
  define(name: string, program: RunnerProgram): Promise<void>
  /** Removes what an administrator has said: one that is built in is again what it was. */
  remove(name: string): Promise<void>
}

/** Makes the store of definitions. */
export function createDefinitions({
  collections: { acp_definitions },
  clock,
}: Pick<Cradle, 'collections' | 'clock'>): Definitions {
  return {
    isBuiltIn: (name) => BUILT_IN.has(name),

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
