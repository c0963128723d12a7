import { ActionIcon, CopyButton as CopyState } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { Check, Copy } from './icons.ts'

/** Copies a text, and says so for a moment. */
export function CopyButton({ text, label: name = t('common.copy') }: { text: string; label?: string }) {
  return (
    <CopyState value={text}>
      {({ copied, copy }) => {
        const label = copied ? t('common.copied') : name
        const Icon = copied ? Check : Copy
        return (
          <ActionIcon variant="subtle" color="gray" size="sm" onClick={copy} aria-label={label} title={label}>
            <Icon size={14} />
          </ActionIcon>
        )
      }}
    </CopyState>
  )
}
