import { ActionIcon, Menu } from '@mantine/core'
import type { Slot } from '../frame/slots.ts'
import { t } from '../i18n/words.ts'
import { RefreshCw } from '../ui/icons.ts'
import classes from './slot-failure.module.css'

interface Props {
  slot: Slot['slot']
  plugin: string
  onRetry(): void
}

/** Names the plugin whose module could not be shown, with a button to try again. */
export default function SlotFailure({ slot, plugin, onRetry }: Props) {
  const sentence = t('frame.slot_failed', { plugin })
  const again = `${sentence}. ${t('common.again')}`
  if (slot === 'thread.menu')
    return (
      <Menu.Item
        closeMenuOnClick={false}
        leftSection={<RefreshCw size={14} aria-hidden />}
        c="var(--meta)"
        aria-label={again}
        onClick={onRetry}
      >
        {sentence}
      </Menu.Item>
    )
  return (
    <span className={classes.failure} data-slot={slot}>
      <span className={classes.text} role="status">
        {sentence}
      </span>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={again} title={again} onClick={onRetry}>
        <RefreshCw size={14} aria-hidden />
      </ActionIcon>
    </span>
  )
}
