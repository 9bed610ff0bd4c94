import Quill from 'quill'

const editor = new Quill(window.place)
editor.setText(window.old)
window.held = () => editor.getText()
