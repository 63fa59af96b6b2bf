# %% an exit
import sys
sys.exit(3)
