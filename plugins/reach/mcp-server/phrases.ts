import { createPhrases, type LocalizedText } from '#plugin-api'

/** The texts that clients and their models receive from the server itself. */
const PHRASES = {
  instructions: {
    en: 'Each tool is an AI agent. It answers one message; pass the thread_id of its result to continue the conversation.',
    zh: '每个工具是一个智能体，每次调用回答一条消息；传入结果中的 thread_id 可继续同一对话。',
  },
  description: {
    en: 'Sends a message to the agent “{name}” and returns its answer.',
    zh: '向智能体“{name}”发送消息并返回其回答。',
  },
  stopped: { en: 'The turn was stopped before it ended.', zh: '本轮在结束前被停止。' },
  waits: {
    en: 'The agent is waiting for a person to decide in its conversation (thread {thread_id}). Its requests:\n{requests}\nThe turn continues after the decision; then ask again in this thread.',
    zh: '智能体正在等待人工处理，请在其对话中决定（对话 {thread_id}）。请求：\n{requests}\n决定后本轮会继续；之后请在此对话中再次提问。',
  },
  file: { en: 'File {filename}: {url}', zh: '文件 {filename}：{url}' },
  started: { en: 'The agent has started.', zh: '智能体已开始处理。' },
  queued: { en: 'The message is queued at position {position}.', zh: '消息正在排队，位置 {position}。' },
  calls: { en: 'The agent is calling {name}.', zh: '智能体正在调用 {name}。' },
  writes: { en: 'The agent is writing: {count} characters.', zh: '智能体正在撰写：{count} 个字符。' },
} satisfies Record<string, LocalizedText>

/** Returns a text in a language, with `values` in place of `{name}`. */
export const say = createPhrases(PHRASES)
