import type { Adaptation, UpstreamReport } from '#plugin-api'

const says =
  (...patterns: RegExp[]) =>
  ({ message }: UpstreamReport) =>
    patterns.every((pattern) => pattern.test(message))

const REFUSED =
  /unsupported|not support|unrecognized|unknown|not permitted|extra|invalid|not allowed|does not exist/i

/** The changes that models of OpenAI may need, at itself, at Azure and behind gateways. */
export const adaptations = {
  max_completion_tokens: {
    label: { en: 'Limit as max_completion_tokens', zh: '以 max_completion_tokens 限制长度' },
    isNeeded: says(/\bmax_tokens\b/, /\bmax_completion_tokens\b.*instead|use '?max_completion_tokens/i),
  },
  max_tokens: {
    label: { en: 'Limit as max_tokens', zh: '以 max_tokens 限制长度' },
    isNeeded: (report) =>
      says(/\bmax_completion_tokens\b/, REFUSED)(report) &&
      !adaptations.max_completion_tokens.isNeeded(report),
  },
  no_sampling: {
    label: { en: 'No temperature or top_p', zh: '不发送 temperature 和 top_p' },
    isNeeded: says(/\btemperature\b|\btop_p\b/i, REFUSED),
  },
  no_reasoning: {
    label: { en: 'No reasoning settings', zh: '不发送思考设置' },
    isNeeded: says(/\breasoning|encrypted content/i, REFUSED),
  },
  system_role: {
    label: { en: 'Instructions as a system message', zh: '以 system 角色发送指令' },
    isNeeded: says(/\bdeveloper\b/i, /role/i),
  },
  json_in_words: {
    label: { en: 'JSON requested in the prompt', zh: '通过提示词要求 JSON' },
    isNeeded: says(/response_format|text\.format|json_schema|json_object/i, REFUSED),
  },
} satisfies Record<string, Adaptation> as Record<
  'max_completion_tokens' | 'max_tokens' | 'no_sampling' | 'no_reasoning' | 'system_role' | 'json_in_words',
  Adaptation
>
