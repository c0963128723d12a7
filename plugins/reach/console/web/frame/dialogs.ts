import { createPublisher } from '../chat/store/publisher.ts'

/** The dialog of the frame that is open. */
export const dialog = createPublisher<'palette' | 'keys' | undefined>(undefined)

/** Opens a dialog of the frame, or closes the one that is open. */
export function showDialog(name: 'palette' | 'keys' | undefined): void {
  dialog.update(() => name)
  // Keys that are typed next belong to the dialog.
  dialog.flush()
}
