import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { t } from '../../i18n/words.ts'
import { CopyButton } from '../../ui/copy-button.tsx'

interface Props {
  address: string
  onClose(): void
}

/** Asks before a link of a model is opened, and shows its address. */
export default function LinkQuestion({ address, onClose }: Props) {
  return (
    <Modal
      opened
      onClose={onClose}
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
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button
            component="a"
            href={address}
            target="_blank"
            rel="noreferrer noopener"
            onClick={onClose}
            data-autofocus
          >
            {t('common.open')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
