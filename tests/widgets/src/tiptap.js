import { Editor } from '@tiptap/core'
import StarterKit from '@tiptap/starter-kit'

const content = window.old.split('\n').map((line) => `<p>${line}</p>`).join('')
const editor = new Editor({ element: window.place, extensions: [StarterKit], content })
window.held = () => editor.getText({ blockSeparator: '\n' })
