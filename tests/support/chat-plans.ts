import type { ChatBody, Script } from '../../plugin-api/testing/fake-openai.ts'
import type { ClientPending } from './chat-client.ts'
import type { Chance } from './random.ts'

/** A tool that makes files, cites sources and asks, as a plugin in plain JavaScript. */
export const SURVEY_PLUGIN = `
const survey = {
  name: 'survey',
  label: { en: 'Survey', zh: '调查' },
  description: 'Looks around.',
  input_schema: {
    type: 'object',
    properties: {
      files: { type: 'array', items: { type: 'string' } },
      sources: { type: 'array', items: { type: 'string' } },
      questions: { type: 'array', items: { type: 'string' } },
      fails: { type: 'boolean' },
    },
    additionalProperties: false,
  },
  disableable: true,
  async execute({ files = [], sources = [], questions = [], fails }, { attach, cite, ask }) {
    const answers = []
    for (const question of questions) answers.push(await ask(question))
    for (const path of files) attach({ path, media_type: path.endsWith('.png') ? 'image/png' : 'text/plain' })
    for (const id of sources) cite({ id, title: 'Source ' + id })
    if (fails) throw new Error('nothing was found')
    return 'surveyed ' + answers.join()
  },
}
export default { name: 'survey', summary: 'A survey', kernel: 1, setup: (host) => host.extend('agents.tools', survey) }
`

/** Plans the answers of an upstream; each turn is recognized by the token that its message ends with. */
export interface Plans {
  /** Plans a turn and returns the text that starts it. */
  plan(random: Chance): string
  /** Answers a request of a planned turn, or of its delegated task. */
  answer(body: ChatBody): Script
}

const PIECES = [
  'A ',
  'word',
  '\n\n',
  '😀',
  '\ud83d',
  '\ude00',
  '',
  '`x` ',
  '语言',
  ' and so on. ',
  '- item\n',
]
const PATHS = ['a.txt', 'b.md', 'notes/c.txt', 'd.png']
const SOURCES = ['one', 'two', 'three']
/** Reused in every answer, as some upstreams do. */
const IDS = ['a', 'b', 'c', 'd']
/** Longer than one event may be, with a character at the cut. */
const LONG = `${'x'.repeat(65_535)}😀 and more`

/** Creates an empty set of plans. */
export function createPlans(): Plans {
  const plans = new Map<string, Script[]>()

  const callOf = (random: Chance, token: string, id: string, isDelegated: boolean) => {
    const path = random.pick(PATHS)
    const content = random.pick(PIECES)
    const kinds: (() => [name: string, args: unknown])[] = [
      () => ['ls', {}],
      () => ['ls', random.pick<unknown>([{ path: 'none' }, { wrong: true }, '{"path":'])],
      () => ['write_file', { path, content }],
      () => ['read_file', { path }],
      () => ['no_such_tool', { content }],
      () => ['write_todos', { todos: [{ content: `do ${content}`, status: 'pending' }] }],
      () => ['execute', { command: 'echo', args: ['out'] }],
      () => [
        'survey',
        {
          files: random.list(0, 2, () => random.pick(PATHS)),
          sources: random.list(0, 2, () => random.pick(SOURCES)),
          questions: random.chance(0.2) ? random.list(1, 2, (n) => `Question ${n}?`) : [],
          fails: random.chance(0.2),
        },
      ],
    ]
    const onlyAbove: typeof kinds = [
      () => ['ask_user_question', { question: `Which ${content}?` }],
      () => ['task', { description: 'A part', instruction: `Do it ${add(random, `${token}.${id}`, true)}` }],
    ]
    const [name, args] = random.pick(isDelegated ? kinds : [...kinds, ...onlyAbove, ...onlyAbove])()
    return { id, name, arguments: args }
  }

  const spoken = (random: Chance): Script => ({
    reasoning: random.chance(0.4) ? random.list(1, 3, () => random.pick(PIECES)) : [],
    text: random.chance(0.03) ? [LONG] : random.list(0, 8, () => random.pick(PIECES)),
    delayMs: random.int(0, 3),
    usage: {
      prompt_tokens: random.int(1, 50),
      completion_tokens: random.int(1, 50),
      ...(random.chance(0.3) && { prompt_tokens_details: { cached_tokens: random.int(1, 9) } }),
    },
  })
  const failing = (random: Chance): Script =>
    random.pick<() => Script>([
      () => ({ status: 400, error: { message: 'no' } }),
      () => ({ ...spoken(random), text: ['cut ', 'off ', 'here'], disconnectAfter: random.int(1, 3) }),
      () => ({ ...spoken(random), text: ['not ', 'whole'], malformed: true }),
    ])()

  const add = (random: Chance, token: string, isDelegated: boolean): string => {
    const steps = random.list(0, 2, (step) => ({
      ...spoken(random),
      toolCalls: random.list(1, 3, (n) => callOf(random, `${token}.${step}`, IDS[n]!, isDelegated)),
    }))
    const last = random.chance(0.15) ? failing(random) : spoken(random)
    if (random.chance(0.1)) last.finishReason = 'length'
    plans.set(token, [...steps, last])
    return `#${token}#`
  }

  return {
    plan: (random) =>
      `Go ${random.pick(['on', '语言 😀', 'x'.repeat(60)])} ${add(random, `${plans.size}`, false)}`,
    answer({ messages, tools }) {
      if (!tools) return { text: 'What was said before, summed up.' }
      const asked = messages.findLastIndex(({ role }) => role === 'user')
      const [, token] = /#([\w.]+)#/.exec(JSON.stringify(messages[asked]?.content))!
      const step = messages.slice(asked).filter(({ role }) => role === 'assistant').length
      return plans.get(token!)![step]!
    },
  }
}

/** A person's decision about one call. */
export type PlannedDecision = { type: string; for_thread?: boolean } & Record<string, unknown>

const HALF = 'half \ud83d'
/** Arguments that a person may use instead of a model's, by the tools that ask. */
const EDITS: Record<string, (random: Chance) => object> = {
  execute: (random) => ({ command: 'echo', args: [random.pick(['edited', '😀', HALF])] }),
  read_file: (random) => ({ path: random.pick(['b.md', 'none']) }),
}

/** Returns random decisions that fit the approval of a paused turn. */
export function planDecisions(
  { action_requests, review_configs }: ClientPending,
  random: Chance,
): PlannedDecision[] {
  const words = () => random.pick(['so be it', HALF, '语言'])
  const made: Record<string, (name: string) => PlannedDecision> = {
    approve: () => ({ type: 'approve', ...(random.chance(0.2) && { for_thread: true }) }),
    edit: (name) => ({ type: 'edit', edited_action: { name, args: EDITS[name]!(random) } }),
    reject: () => ({ type: 'reject', ...(random.chance(0.5) && { message: words() }) }),
    respond: () => ({ type: 'respond', message: words() }),
  }
  return review_configs.map(({ allowed_decisions }, index) =>
    made[random.pick(allowed_decisions)]!(action_requests[index]!.name),
  )
}
