import type { Locale, LocalizedText } from '#kernel'
import { createPhrases } from '#toolbox'
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
} satisfies Record<string, LocalizedText>

const say = createPhrases(PHRASES)

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
  return [
    ...(names.size > 0 ? [say('approval', locale, { names: [...names].join(', '), agent_id })] : []),
    ...(questions.length > 0 ? [say('question', locale, { questions: questions.join('\n'), agent_id })] : []),
  ].join('\n\n')
}
