import type { CommandInput } from '#plugin-api'

/** The options of `svc eval`, as they are used. */
export interface EvalOptions {
  file?: string
  agent: string
  model?: string
  /** The other version, if two are compared. */
  against?: { agent: string; model?: string }
  judge?: string
  repeat: number
  parallel: number
  seconds: number
  approve: boolean
  fromFeedback: boolean
  /** The most votes that become cases. */
  limit: number
}

/** The options as the command line declares them. */
export const OPTIONS = [
  { flags: '--agent <agent>', summary: 'agent to test: name, ID or .json file (default: assistant)' },
  { flags: '--model <ref>', summary: 'model of its answers, as provider:model' },
  { flags: '--against <agent>', summary: 'compare with this agent: name, ID or .json file' },
  {
    flags: '--against-model <ref>',
    summary: 'model of the other version (of the same agent without --against)',
  },
  { flags: '--repeat <n>', summary: 'run each case so many times (default: 1)' },
  { flags: '--parallel <n>', summary: 'turns at a time (default: 4)' },
  { flags: '--judge <model>', summary: 'model of the judge, as provider:model (default: that of the agent)' },
  { flags: '--timeout <seconds>', summary: 'the longest turn (default: 300)' },
  { flags: '--approve', summary: 'approve calls of tools that need it; without it, they are rejected' },
  { flags: '--from-feedback', summary: 'take the cases from rated answers of the agent instead of a file' },
  { flags: '--limit <n>', summary: 'the most rated answers, newest first (default: 100)' },
]

/** Reads the options. Throws a sentence about the first that is wrong. */
export function readOptions({ args: [file], options }: Pick<CommandInput, 'args' | 'options'>): EvalOptions {
  const readText = (name: string) => {
    const value = options[name]
    return typeof value === 'string' ? value : undefined
  }
  const readNumber = (name: string, fallback: number, most: number) => {
    const text = readText(name) ?? String(fallback)
    const value = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0
    if (value === 0 || value > most)
      throw new Error(`--${name} must be a number from 1 to ${most}, not "${text}".`)
    return value
  }
  const fromFeedback = options.fromFeedback === true
  if (fromFeedback === (file !== undefined))
    throw new Error(
      'Name either a file with cases or --from-feedback. See docs/users.md for the form of a case.',
    )
  const agent = readText('agent') ?? 'assistant'
  const [model, other, otherModel, judge] = ['model', 'against', 'againstModel', 'judge'].map(readText)
  const isCompared = other !== undefined || otherModel !== undefined
  return {
    agent,
    fromFeedback,
    ...(file !== undefined && { file }),
    ...(model !== undefined && { model }),
    ...(isCompared && {
      against: { agent: other ?? agent, ...(otherModel !== undefined && { model: otherModel }) },
    }),
    ...(judge !== undefined && { judge }),
    repeat: readNumber('repeat', 1, 100),
    parallel: readNumber('parallel', 4, 32),
    seconds: readNumber('timeout', 300, 3600),
    limit: readNumber('limit', 100, 1000),
    approve: options.approve === true,
  }
}
