import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { t } from '../i18n/words.ts'
import { Failure } from './failure.tsx'
import { useAction } from './use-action.ts'

interface Props {
  title: string
  children: ReactNode
  /** The verb of the button, for example "Delete". */
  action: string
  /** Where data is lost: the name that has to be typed. */
  name?: string | undefined
  /** Runs the confirmed action; if it throws, the dialog stays open with the reason. */
  onConfirm(): Promise<unknown>
  onClose(): void
}

/** Asks before an action that cannot be undone. */
export function Confirm({ title, children, action, name, onConfirm, onClose }: Props) {
  const [typed, setTyped] = useState('')
  const { isBusy, error, run } = useAction()
  const confirm = () =>
    run(async () => {
      await onConfirm()
      onClose()
    })

  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      centered
    >
      <Stack gap="md">
        <Text size="sm" component="div">
          {children}
        </Text>
        {name !== undefined && (
          <TextInput
            label={t('common.type_name', { name })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
        )}
        {error !== undefined && <Failure error={error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button
            color="red"
            loading={isBusy}
            disabled={name !== undefined && typed !== name}
            onClick={confirm}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
