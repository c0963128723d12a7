import { ActionIcon, CopyButton as CopyState } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { Check, Copy } from './icons.ts'

/** Copies a text, and says so for a moment. */
export function CopyButton({ text }: { text: string }) {
  return (
    <CopyState value={text}>
      {({ copied, copy }) => {
        const label = t(copied ? 'common.copied' : 'common.copy')
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
