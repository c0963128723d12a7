import { formatAge, formatBytes } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'
import type { Import } from './imports.ts'

const NAMES = {
  chatgpt: 'ChatGPT',
  claude: 'Claude',
  openwebui: 'Open WebUI',
  librechat: 'LibreChat',
} as const

/** Describes an import in a line: its product, size, age and state. */
export const describeImport = ({ kind, size, state, created_at }: Import): string =>
  [
    ...(kind ? [NAMES[kind]] : []),
    formatBytes(size),
    formatAge(created_at),
    t(`imports.state_${state}`),
  ].join(' · ')
