import sys
from pathlib import Path

# The models that these tests compare with are modules beside them.
sys.path.insert(0, str(Path(__file__).parent))
