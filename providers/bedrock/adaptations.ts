import type { Adaptation } from '#plugin-api'
import { sharedAdaptations } from '../anthropic/adaptations.ts'

/** The adaptations of the kind. */
export const adaptations = {
  ...sharedAdaptations,
  no_cache_points: {
    label: { en: 'No cache points', zh: '不发送缓存点' },
    isNeeded: ({ message }) => /cache ?point|prompt caching|cache_control/i.test(message),
  },
  no_tools_stream: {
    label: { en: 'No streaming with tools', zh: '使用工具时不流式输出' },
    isNeeded: ({ message }) => /tool.*stream|stream.*tool/i.test(message),
  },
} as const satisfies Record<string, Adaptation>
