import type { Adaptation, UpstreamReport } from '#plugin-api'

const says =
  (pattern: RegExp) =>
  ({ message }: UpstreamReport) =>
    pattern.test(message)

/** The changes that models of the Gemini API may need: those that draw refuse more than those that write. */
export const adaptations = {
  no_thinking: {
    label: { en: 'No thinking settings', zh: '不发送思考设置' },
    isNeeded: says(/thinking (?:is not|level|budget)|thinking_?(?:config|level|budget)|thinkingconfig/i),
  },
  no_tools: {
    label: { en: 'No tools', zh: '不发送工具' },
    isNeeded: says(/(?:function calling|tool use|tools?) (?:is|are) not (?:enabled|supported)/i),
  },
  instructions_as_user: {
    label: { en: 'Instructions in a user message', zh: '以用户消息发送指令' },
    isNeeded: says(/(?:developer|system) instruction is not (?:enabled|supported)/i),
  },
  draws_pictures: {
    label: { en: 'Answers with text and pictures', zh: '以文字和图片回复' },
    isNeeded: says(/response modalities/i),
  },
  json_in_words: {
    label: { en: 'JSON asked for in words', zh: '以文字要求 JSON 格式' },
    isNeeded: says(/response mime ?type|response_?mime_?type|response_?schema|json mode/i),
  },
} satisfies Record<string, Adaptation>
