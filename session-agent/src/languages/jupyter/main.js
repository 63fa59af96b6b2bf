// Starts the adapter. A bundle has this name too, and everything else in it.
import './adapter.ts';
