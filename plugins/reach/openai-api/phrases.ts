import type { Locale } from '#kernel'
import type { PendingApproval } from '../../conversations/chat/ledger/ledger-event.ts'

const PHRASES = {
  approval: {
    en: 'The agent waits for your approval to use {names}. Decide it with `POST /api/agents/{agent_id}/chat/hitl/resume` or in `svc chat`.',
    zh: '智能体正在等待你批准使用 {names}。请通过 `POST /api/agents/{agent_id}/chat/hitl/resume` 或 `svc chat` 处理。',
  },
  question: {
    en: 'The agent asks: {questions}\nAnswer with `POST /api/agents/{agent_id}/chat/hitl/resume` or in `svc chat`.',
    zh: '智能体提问：{questions}\n请通过 `POST /api/agents/{agent_id}/chat/hitl/resume` 或 `svc chat` 回答。',
  },
  refusal: {
    en: 'The model refused to answer.',
    zh: '模型拒绝回答。',
  },
} satisfies Record<string, Record<Locale, string>>

/** Returns the sentence about a model that refused without a word. */
export const describeRefusal = (locale: Locale): string => PHRASES.refusal[locale]

/** Returns the sentences about the person whom a turn waits for. */
export function describePause(
  { action_requests, review_configs }: PendingApproval,
  agent_id: string,
  locale: Locale,
): string {
  const isQuestion = (index: number) => !review_configs[index]!.allowed_decisions.includes('approve')
  const names = new Set(
    action_requests.filter((_, index) => !isQuestion(index)).map(({ name }) => `\`${name}\``),
  )
  const questions = action_requests
    .filter((_, index) => isQuestion(index))
    .map(({ description }) => description)
  const fill = (phrase: keyof typeof PHRASES, values: Record<string, string>) =>
    PHRASES[phrase][locale].replace(/\{(\w+)\}/g, (_, name) => values[name]!)
  return [
    ...(names.size > 0 ? [fill('approval', { names: [...names].join(', '), agent_id })] : []),
    ...(questions.length > 0 ? [fill('question', { questions: questions.join('\n'), agent_id })] : []),
  ].join('\n\n')
}
