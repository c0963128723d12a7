import { ActionIcon, Menu } from '@mantine/core'
import { Ellipsis } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '../i18n/words.ts'

interface Props {
  /** The name of what the actions change. */
  name: string
  onEdit?: (() => void) | undefined
  onDelete?: (() => void) | undefined
  /** The verb of the last action, if it deletes nothing. */
  deleteLabel?: string
  /** Further actions, as `Menu.Item`. */
  children?: ReactNode
}

/** The actions on a row of a list. */
export function RowMenu({ name, onEdit, onDelete, deleteLabel, children }: Props) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('forms.actions', { name })}>
          <Ellipsis size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {onEdit && <Menu.Item onClick={onEdit}>{t('common.edit')}</Menu.Item>}
        {children}
        {onDelete && (
          <Menu.Item c="var(--danger)" onClick={onDelete}>
            {deleteLabel ?? t('common.delete')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
