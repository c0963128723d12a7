import { Kbd, Modal } from '@mantine/core'
import { Fragment } from 'react'
import { t, type WordKey } from '../i18n/words.ts'
import classes from './palette.module.css'
import { MOD } from './shortcut-keys.ts'

/** Browsers keep Ctrl-N for a window, so Alt-N begins a conversation as well. */
const KEYS: [WordKey, string[]][] = [
  ['frame.palette', [MOD, 'K']],
  ['frame.key_new', ['Alt', 'N']],
  ['frame.key_send', ['Enter']],
  ['frame.key_break', ['Shift', 'Enter']],
  ['frame.key_stop', ['Esc']],
  ['frame.key_edit', ['↑']],
  ['frame.key_actions', ['/']],
  ['frame.key_files', ['@']],
  ['frame.key_next', ['J']],
  ['frame.key_previous', ['K']],
  ['frame.key_approve', ['A']],
  ['frame.key_change', ['E']],
  ['frame.key_reject', ['R']],
  ['frame.key_menu', ['[']],
  ['frame.key_panel', [']']],
  ['frame.shortcuts', [MOD, '/']],
]

/** The keys of the console. */
export default function ShortcutList({ onClose }: { onClose(): void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('frame.shortcuts')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      centered
    >
      <table className={classes.keys}>
        <tbody>
          {KEYS.map(([label, keys]) => (
            <tr key={label}>
              <td>{t(label)}</td>
              <td>
                {keys.map((key, index) => (
                  <Fragment key={key}>
                    {index > 0 && ' '}
                    <Kbd>{key}</Kbd>
                  </Fragment>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Modal>
  )
}
