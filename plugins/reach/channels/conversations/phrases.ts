import { createPhrases, type LocalizedText } from '#plugin-api'

/** The texts that the gateway itself sends to conversations, in Markdown. */
const PHRASES = {
  help: {
    en: `Send a message to talk to the agent. Commands:
- \`/new\` starts a new conversation and stops the current task; text after it becomes the first message
- \`/stop\` stops the current task
- \`/approve\`, \`/always\`, \`/reject reason\`, \`/answer text\` decide its requests; add the code if several are waiting
- \`/help\` shows this help

Your ID here is \`{sender}\`.`,
    zh: `直接发消息即可与智能体对话。命令：
- \`/new\` 停止当前任务并开始新对话；其后的文字将作为第一条消息
- \`/stop\` 停止当前任务
- \`/approve\`、\`/always\`、\`/reject 理由\`、\`/answer 内容\` 处理智能体的请求；有多个请求时请带上编号
- \`/help\` 显示本帮助

您在此处的 ID 是 \`{sender}\`。`,
  },
  begun: { en: 'Your next message starts a new conversation.', zh: '下一条消息将开始新对话。' },
  stopped: { en: 'Stopped.', zh: '已停止。' },
  nothing_runs: { en: 'Nothing is running.', zh: '当前没有正在执行的任务。' },
  sources: { en: 'Sources:\n{list}', zh: '来源：\n{list}' },
  failed: { en: '⚠️ {message}', zh: '⚠️ {message}' },
  too_many: {
    en: 'Too many messages are queued. This one was not accepted.',
    zh: '排队的消息过多，这条消息未被接收。',
  },
  unreadable: {
    en: 'This kind of message cannot be read here. Send it as text, a picture or a file.',
    zh: '暂时无法读取这类消息，请改用文字、图片或文件发送。',
  },
  nothing_said: {
    en: 'Your message has no text. Write your question next to the mention.',
    zh: '消息没有内容，请在提及我时写下您的问题。',
  },
  undelivered: {
    en: '⚠️ The platform rejected the answer. You can read it in the console.',
    zh: '⚠️ 平台拒绝了这条回答，请在控制台查看。',
  },
  cut_off: {
    en: '*The answer continues in the console.*',
    zh: '*完整回答请在控制台查看。*',
  },
  file_lost: {
    en: '[The file “{filename}” could not be received: {detail}]',
    zh: '[文件“{filename}”未能接收：{detail}]',
  },
  file_unsent: {
    en: '📎 {filename} could not be sent here. It is in the workspace.',
    zh: '📎 {filename} 已保存在工作区，无法在此发送。',
  },
  web_page: { en: 'the platform sent a web page instead', zh: '收到的是网页而不是文件' },
  too_large: { en: 'it is too large', zh: '文件过大' },
  not_kept: { en: 'it could not be saved', zh: '无法保存' },
  approval: {
    en: '**The agent needs approval.** {description}\n\n{args}\n\nAnswer with `/approve {code}`, `/always {code}` or `/reject {code} reason`.',
    zh: '**智能体需要批准。** {description}\n\n{args}\n\n请回复 `/approve {code}`、`/always {code}` 或 `/reject {code} 理由`。',
  },
  approval_elsewhere: {
    en: '**The agent needs approval.** {description}\n\n{args}\n\nNobody here can decide this. The agent’s owner can decide it in the console or add approvers in the channel settings.',
    zh: '**智能体需要批准。** {description}\n\n{args}\n\n此处无人有权处理：请所有者在控制台处理，或在渠道设置中指定审批人。',
  },
  shortened: {
    en: 'The arguments are shortened. Read them in full before you decide: {place}',
    zh: '参数未完整显示，请在决定前查看全部参数：{place}',
  },
  web_app: { en: 'in the console', zh: '控制台' },
  question: {
    en: '**The agent asks:** {description}\n\nAnswer with a message, or `/reject {code}`.',
    zh: '**智能体提问：** {description}\n\n直接回复即可，或发送 `/reject {code}`。',
  },
  approve: { en: 'Approve', zh: '批准' },
  always: { en: 'Always here', zh: '本对话始终批准' },
  reject: { en: 'Reject', zh: '拒绝' },
  approved: { en: '✅ Approved', zh: '✅ 已批准' },
  rejected: { en: '❌ Rejected', zh: '❌ 已拒绝' },
  answered: { en: '💬 Answered', zh: '💬 已回答' },
  expired: { en: '⌛ Expired', zh: '⌛ 已过期' },
  withdrawn: { en: '⏹ No longer needed', zh: '⏹ 已取消' },
  not_pending: { en: 'This request is not waiting for a decision.', zh: '该请求不在等待处理。' },
  nothing_waits: { en: 'No request is waiting for a decision.', zh: '当前没有等待处理的请求。' },
  which_one: {
    en: 'Several requests are waiting. Add the code of one: {codes}',
    zh: '有多个请求在等待，请注明编号：{codes}',
  },
  not_allowed: { en: 'You are not allowed to decide this.', zh: '您无权处理该请求。' },
  no_such_decision: {
    en: 'This decision is not available. Choose one of: {possible}',
    zh: '不支持这样处理。可选：{possible}',
  },
  overheard: { en: 'Earlier messages in the group:', zh: '群里此前的消息：' },
  replies_to: { en: 'In reply to {sender}:', zh: '回复 {sender}：' },
  forwards: { en: 'Forwarded from {sender}:', zh: '转发自 {sender}：' },
  voice_message: { en: '[Voice message] {text}', zh: '[语音消息] {text}' },
  somebody: { en: 'someone', zh: '某人' },
  message_from: { en: 'Message from {sender}:', zh: '来自 {sender} 的消息：' },
} satisfies Record<string, LocalizedText>

/** Matches a line that introduces words of other people in a prompt, in either language. */
const INTRODUCTION = new RegExp(
  `^\\s*(?:${(['overheard', 'replies_to', 'forwards', 'message_from'] as const)
    .flatMap((name) => Object.values<string>(PHRASES[name]))
    .map((words) => words.replace('{sender}', '.*').replace(/[:：]$/, '\\s*[:：]'))
    .join('|')})\\s*$`,
  'i',
)

/** Matches characters without a width: any number of them leaves a line looking the same. */
const WIDTHLESS = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu

/** True if a line of a person's words imitates an introduction of the gateway to another person's words. */
export const isIntroduction = (line: string): boolean =>
  INTRODUCTION.test(line.replace(WIDTHLESS, '').replace(/[\s\p{Cc}]+/gu, ' '))

/** Returns a text in a language, with `values` in place of `{name}`. */
export const say = createPhrases(PHRASES)
