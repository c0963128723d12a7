import {
  type Cradle,
  type DefineRoute,
  defineManifest,
  definePlugin,
  defineRoute,
  type Expert,
  type Extensions,
  type Locale,
  type LocalizedText,
} from '#plugin-api'
import type { AgentDocument } from '../agents/types.ts'
import { toJobs } from './example-tasks.ts'
import { cronExamples, examplesQuery, type Welcome, welcome } from './schemas.ts'

const manifest = defineManifest({
  name: 'welcome',
  summary: 'The greeting of an agent, and examples of tasks for it',
  tag: {
    name: 'Prompts',
    order: 42,
    description: 'Texts that start a conversation, and improved wording for your own.',
  },
  depends: ['auth', 'agents'],
})

declare module '#kernel/types' {
  interface Manifests {
    welcome: typeof manifest
  }
}

const route: DefineRoute<Cradle<typeof manifest>> = defineRoute

/** The expert that greets for agents without an expert of their own. */
const GENERAL = 'general-assistant'

/** The number of examples shown, and the number shown if the agent has that many of its own. */
const FEW_EXAMPLES = 3
const MANY_EXAMPLES = 6

/** The part of an expert that the welcome of an agent consists of. */
type Greeter = Pick<Expert, 'welcome_message' | 'needs' | 'quick_prompts' | 'task_examples'>

/**
 * Creates the greeting of an agent: its own message, otherwise that of the expert that it was made from, otherwise that
 * of the general assistant. Prompts and examples always come from an expert.
 */
function createWelcome(
  { template_name, welcome_message }: Pick<AgentDocument, 'template_name' | 'welcome_message'>,
  experts: Extensions<Expert>,
): Greeter & Pick<Welcome, 'task_examples'> {
  const general: Greeter = experts.get(GENERAL) ?? fallback
  const expert = experts.get(template_name ?? '') ?? general
  const listExamples = (locale: Locale) =>
    normalizeExamples(expert.task_examples[locale], [
      ...general.task_examples[locale],
      ...fallback.task_examples[locale],
    ])
  return {
    welcome_message: toMessage(welcome_message, expert.welcome_message),
    needs: expert.needs,
    quick_prompts: expert.quick_prompts,
    task_examples: { en: listExamples('en'), zh: listExamples('zh') },
  }
}

/** Returns 3 examples, or 6 if the list has that many; missing ones are taken from `spares`, without duplicates. */
function normalizeExamples(examples: readonly string[], spares: readonly string[]): string[] {
  const own = new Set(examples)
  return [...new Set([...own, ...spares])].slice(0, own.size < MANY_EXAMPLES ? FEW_EXAMPLES : MANY_EXAMPLES)
}

/** A new agent stores its expert's message in one language; until somebody changes it, both languages are shown. */
function toMessage(own: string | null, expert: LocalizedText): LocalizedText {
  if (!own?.trim() || Object.values(expert).includes(own)) return expert
  return { en: own, zh: own }
}

const getWelcome = route({
  method: 'GET',
  path: '/agents/:id/chat/welcome',
  operation_id: 'getWelcome',
  summary: 'Get the welcome of an agent',
  description:
    "Returns the greeting with which a client begins an empty conversation, and prompts and tasks to choose from. The greeting is the agent's own, otherwise that of the expert it was made from; prompts and tasks always come from an expert. `missing` names the tools that the expert, or a prompt, needs and that the caller would not have in a new thread.",
  guard: 'agent',
  response: { 200: welcome },
}).handle(async ({ agent, caller }, { agents, extensions }) => {
  const greeter = createWelcome(agent, extensions['agents.experts'])
  const [welcome] = await agents.assessExperts([greeter], caller, agent)
  return welcome!
})

/** Accounts that an agent is shared with may read these too: the welcome has the same examples. */
const getCronExamples = route({
  method: 'GET',
  path: '/agents/:id/cron/examples',
  operation_id: 'listTaskExamples',
  summary: 'List examples of scheduled tasks',
  description:
    'Returns three or six tasks that the agent could do automatically at set times; its welcome has the same ones. Each is also returned as the body of a new schedule.',
  guard: 'agent',
  query: examplesQuery,
  response: { 200: cronExamples },
}).handle(({ agent, query }, { extensions }) => {
  const { task_examples } = createWelcome(agent, extensions['agents.experts'])
  return { task_examples, jobs: toJobs(task_examples, query.timezone) }
})

export default definePlugin({
  ...manifest,
  setup(host) {
    host.routes([getWelcome, getCronExamples])
  },
})

/** The greeting of agents if no plugin provides a general assistant. */
const fallback: Greeter = {
  welcome_message: {
    en: 'Hello, what can I do for you?',
    zh: '您好，有什么可以帮您？',
  },
  quick_prompts: [
    {
      title: { en: 'What can you do?', zh: '你能做什么？' },
      description: { en: 'Abilities and limits, in brief.', zh: '几句话了解能力与限制。' },
      prompt: {
        en: 'Tell me briefly what you can do for me, which tools you have, and where your limits are.',
        zh: '请简要说明你能帮我做什么、有哪些工具可用，以及有哪些限制。',
      },
    },
    {
      title: { en: 'Work on a text', zh: '修改一段文字' },
      description: { en: 'Shorter, clearer or in another language.', zh: '精简、润色或翻译。' },
      prompt: {
        en: 'I want to improve a text. Ask me for the text and how it should change, then show me your version and what you changed.',
        zh: '我想修改一段文字。请先让我把文字发给你，并问清要改成什么样，再给出修改稿并说明改动之处。',
      },
    },
  ],
  task_examples: {
    en: [
      'Every weekday at 9:00: read todo.md in the workspace and send me what is due today.',
      'Every Friday at 16:00: list the files that changed in the workspace this week, with one line on each.',
      'On the 1st of each month at 9:00: go through notes.md and tell me which open questions are older than a month.',
    ],
    zh: [
      '每个工作日 9:00：读取工作区里的 todo.md，告诉我今天到期的事项。',
      '每周五 16:00：列出工作区里本周有改动的文件，每个用一句话说明。',
      '每月 1 日 9:00：查看 notes.md，告诉我哪些问题搁置超过一个月仍未解决。',
    ],
  },
}
