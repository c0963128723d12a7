import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type MouseEvent, type ReactNode, useState } from 'react'
import { t } from '../../i18n/words.ts'
import { CopyButton } from '../../ui/copy-button.tsx'

interface Props {
  href: string | undefined
  /** The name of its target, if its text does not say it. */
  label?: string | undefined
  children?: ReactNode
}

/** A link of a model. It opens after a question that shows its address; other protocols are not linked. */
export function MarkdownLink({ href, label, children }: Props) {
  const [isAsking, setAsking] = useState(false)
  const address = toWebAddress(href)
  if (!address) return <span>{children}</span>
  const ask = (event: MouseEvent) => {
    event.preventDefault()
    setAsking(true)
  }
  return (
    <>
      <a
        href={address}
        target="_blank"
        rel="noreferrer noopener"
        onClick={ask}
        onAuxClick={ask}
        aria-label={label}
      >
        {children}
      </a>
      {isAsking && (
        <Modal
          opened
          onClose={() => setAsking(false)}
          title={t('chat.open_link')}
          closeButtonProps={{ 'aria-label': t('common.close') }}
          centered
        >
          <Stack>
            <Text size="sm">{t('chat.open_link_about')}</Text>
            <Group wrap="nowrap" gap="xs">
              <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
                {address}
              </Text>
              <CopyButton text={address} />
            </Group>
            <Group justify="flex-end">
              <Button variant="default" onClick={() => setAsking(false)}>
                {t('common.cancel')}
              </Button>
              <Button
                component="a"
                href={address}
                target="_blank"
                rel="noreferrer noopener"
                onClick={() => setAsking(false)}
                data-autofocus
              >
                {t('common.open')}
              </Button>
            </Group>
          </Stack>
        </Modal>
      )}
    </>
  )
}

/** The whole address of a link to a web page or mailbox; undefined for anything else. */
export function toWebAddress(href: string | undefined): string | undefined {
  if (href === undefined || !/^(https?:|mailto:)/i.test(href)) return undefined
  return URL.canParse(href) ? new URL(href).href : undefined
}
