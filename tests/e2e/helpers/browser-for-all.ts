/** Set-up of every end-to-end test file. */
import { openBrowserForAll } from './visitor';

openBrowserForAll();
