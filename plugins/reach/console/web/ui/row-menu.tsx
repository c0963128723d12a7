import { ActionIcon, Menu } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { t } from '../i18n/words.ts'
import { Confirm } from './confirm.tsx'
import { Ellipsis } from './icons.ts'

interface Props {
  /** The name of what the actions change. */
  name: string
  onEdit?: (() => void) | undefined
  onDelete?: (() => void) | undefined
  /** The verb of the last action, if it deletes nothing. */
  deleteLabel?: string
  /** Deletes the object after a confirmation. */
  deletion?: Deletion | false
  /** Further actions, as `Menu.Item`. */
  children?: ReactNode
}

interface Deletion {
  /** A sentence about the loss. */
  about: string
  /** True if the name must be typed. */
  isTyped?: boolean
  run(): Promise<unknown>
}

/** The actions on a row of a list. */
export function RowMenu({ name, onEdit, onDelete, deleteLabel, deletion, children }: Props) {
  const [isAsking, setAsking] = useState(false)
  const remove = deletion ? () => setAsking(true) : onDelete
  const menu = (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('forms.actions', { name })}>
          <Ellipsis size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {onEdit && <Menu.Item onClick={onEdit}>{t('common.edit')}</Menu.Item>}
        {children}
        {remove && (
          <Menu.Item c="var(--danger)" onClick={remove}>
            {deleteLabel ?? t('common.delete')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
  if (!deletion || !isAsking) return menu
  return (
    <>
      {menu}
      <Confirm
        title={t('models.delete_title', { name })}
        action={t('common.delete')}
        name={deletion.isTyped ? name : undefined}
        onConfirm={deletion.run}
        onClose={() => setAsking(false)}
      >
        {deletion.about}
      </Confirm>
    </>
  )
}
